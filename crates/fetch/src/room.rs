//! Room in memory for bodies, shared by all requests in flight.
//!
//! Most bodies are small and need no permission. One that grows beyond [`SMALL`] bytes, as sent and decoded together, reserves
//! as much as it may become. If there is no room, it is not read any further until another body is done with. Nothing waits for
//! ever: the time for a whole body is limited, whether it waits or is read.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::settings::BodyCaps;

/// Bodies up to this size need no permission.
pub(crate) const SMALL: usize = 256 * 1024;
/// Room is handed out in units of this many bytes.
const UNIT: usize = 1 << 20;

/// The room for large bodies.
#[derive(Debug)]
pub(crate) struct Room {
    units: Arc<Semaphore>,
    total: u32,
}

impl Room {
    pub(crate) fn new(bytes: usize) -> Room {
        let total = u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX);
        let total = total.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX));
        Room {
            units: Arc::new(Semaphore::new(total as usize)),
            total,
        }
    }

    /// Waits for room for a body with these caps. One that exceeds all the room there is gets all of it.
    pub(crate) async fn reserve(&self, caps: BodyCaps) -> Option<Reserved> {
        let bytes = caps.wire.saturating_add(caps.decoded);
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let units = Arc::clone(&self.units).acquire_many_owned(units.min(self.total));
        units.await.ok().map(|units| Reserved(Some(Arc::new(units))))
    }
}

/// Room that a body has reserved. It is free again when the last copy is dropped.
#[derive(Clone, Default)]
pub struct Reserved(#[allow(dead_code, reason = "dropping it is its use")] Option<Arc<OwnedSemaphorePermit>>);

impl fmt::Debug for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reserved").field(&self.0.is_some()).finish()
    }
}

/// Responses are the same whether room was reserved for them or not.
impl PartialEq for Reserved {
    fn eq(&self, _: &Reserved) -> bool {
        true
    }
}
