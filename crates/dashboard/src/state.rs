//! What all requests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::api::ApiError;
use crate::crawl::ServedCrawl;
use crate::error::DashboardError;
use crate::events::Hub;
use crate::guard::Guard;
use crate::tickets::Tickets;

/// Requests that read files at the same time. More would only take turns on the disk, and the crawl needs the cores.
const READERS: usize = 3;
/// How long a request waits for its turn.
const TURN: Duration = Duration::from_secs(10);

/// A folder of reports that is not a crawl, such as results of the lab.
#[derive(Debug)]
pub(crate) struct ReportFolder {
    pub id: String,
    pub path: PathBuf,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Served {
    pub guard: Guard,
    pub tickets: Tickets,
    pub hub: Hub,
    pub crawls: Vec<Arc<ServedCrawl>>,
    pub reports: Vec<ReportFolder>,
    readers: Arc<Semaphore>,
}

impl Served {
    pub fn new(guard: Guard, folders: &[PathBuf]) -> Result<Served, DashboardError> {
        let mut served = Served {
            guard,
            tickets: Tickets::default(),
            hub: Hub::default(),
            crawls: Vec::new(),
            reports: Vec::new(),
            readers: Arc::new(Semaphore::new(READERS)),
        };
        for folder in folders {
            let id = served.new_id(folder);
            match ServedCrawl::open(&id, folder) {
                Ok(crawl) => served.crawls.push(Arc::new(crawl)),
                Err(error) if !folder.is_dir() => return Err(error.into()),
                Err(scenthound::CollectionError::NoCrawl(_)) if has_reports(folder) => {
                    served.reports.push(ReportFolder {
                        id,
                        path: folder.clone(),
                    });
                }
                Err(scenthound::CollectionError::NoCrawl(_)) => {
                    return Err(DashboardError::NothingToShow(folder.clone()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(served)
    }

    /// A name for a folder that no other has: its last part, with a number if need be.
    fn new_id(&self, folder: &Path) -> String {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let plain: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        let plain = match plain.trim_matches('.') {
            "" => "crawl".to_owned(),
            name => name.to_owned(),
        };
        let is_taken = |id: &str| {
            self.crawls.iter().any(|crawl| crawl.id == id)
                || self.reports.iter().any(|folder| folder.id == id)
        };
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        std::iter::once(plain.clone())
            .chain(numbered)
            .find(|id| !is_taken(id))
            .unwrap_or(plain)
    }

    pub fn crawl(&self, id: &str) -> Result<Arc<ServedCrawl>, ApiError> {
        self.crawls
            .iter()
            .find(|crawl| crawl.id == id)
            .cloned()
            .ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "no-crawl", "no crawl has this name here"))
    }

    /// Does work that reads files, away from the threads that answer requests. A few at a time take turns.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Served>,
        work: impl FnOnce(&Served) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let busy = || {
            ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "too many requests at once; try again in a moment",
            )
        };
        let turn = tokio::time::timeout(TURN, Arc::clone(&self.readers).acquire_owned());
        let Ok(Ok(turn)) = turn.await else {
            return Err(busy());
        };
        let served = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let done = work(&served);
            drop(turn);
            done
        })
        .await
        .unwrap_or_else(|fault| {
            tracing::error!(%fault, "a request to the dashboard failed");
            Err(ApiError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "fault",
                "something went wrong in the dashboard; its log says more",
            ))
        })
    }
}

/// Whether a folder holds something that can be shown as a report.
fn has_reports(folder: &Path) -> bool {
    crate::api::files::list(folder).is_ok_and(|files| !files.is_empty())
}
