//! Buffered standard output that may be closed early.
//!
//! `hound results DIR | head` ends quietly: a reader that has seen enough is not a failure.

use std::error::Error;
use std::io::{self, BufWriter, Write};

/// Runs a writer on standard output. A closed pipe ends the writing quietly.
pub fn write(writer: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let written = writer(&mut out).and_then(|()| Ok(out.flush()?));
    // Dropping the buffer tries to write the rest once more. That fails too, and the failure is ignored.
    match written {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        other => other,
    }
}

/// Writes a value as one line of JSON to standard output.
pub fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    write(|out| {
        serde_json::to_writer(&mut *out, value)?;
        Ok(writeln!(out)?)
    })
}

/// Writes a message to standard error. A closed stderr is not a failure.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a line of results to standard output. A closed stdout is not a failure.
pub fn say(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_broken = |error: &(dyn Error + 'static)| {
        let json = error
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        json.or(kind) == Some(io::ErrorKind::BrokenPipe)
    };
    error.chain().any(is_broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_recognised_inside_other_errors() {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&closed().into()));
        assert!(is_closed_pipe(
            &anyhow::Error::from(closed()).context("while writing")
        ));
        assert!(is_closed_pipe(&serde_json::Error::io(closed()).into()));
        assert!(!is_closed_pipe(
            &io::Error::from(io::ErrorKind::StorageFull).into()
        ));
    }
}
