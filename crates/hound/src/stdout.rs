//! Buffered standard output that may be closed early.
//!
//! `hound results DIR | head` ends quietly: a reader that has seen enough is not a failure.

use std::error::Error;
use std::io::{self, BufWriter, Write};

use crate::terminal::{Stream, Style, Verbosity, wrap};

/// Runs a writer on standard output. A closed pipe ends the writing quietly.
pub fn write(writer: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut out = Wrapped {
        out: BufWriter::with_capacity(64 << 10, io::stdout().lock()),
        width: Stream::Out.is_terminal().then(|| Stream::Out.width()),
        line: Vec::new(),
    };
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

/// Passes text on. On a terminal, lines that are too long are broken at spaces first.
struct Wrapped<W> {
    out: W,
    /// The width of the terminal; none if the text goes elsewhere.
    width: Option<usize>,
    line: Vec<u8>,
}

impl<W: Write> Write for Wrapped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(width) = self.width else {
            return self.out.write(bytes);
        };
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend(part);
            if part.ends_with(b"\n") {
                let wrapped = wrap(&String::from_utf8_lossy(&self.line), width);
                self.out.write_all(wrapped.as_bytes())?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.line)?;
        self.line.clear();
        self.out.flush()
    }
}

/// A text as a stream shows it.
fn fitted(stream: Stream, text: &str) -> String {
    match stream.is_terminal() {
        true => wrap(text, stream.width()),
        false => text.to_owned(),
    }
}

/// Writes a message to standard error, unless the user wants to read errors only. A closed stderr is not a failure.
pub fn note(text: &str) {
    if Verbosity::get() > Verbosity::Quiet {
        let _ = writeln!(io::stderr().lock(), "{}", fitted(Stream::Err, text));
    }
}

/// Writes what went wrong to standard error.
pub fn complain(text: &str) {
    let text = fitted(Stream::Err, text);
    let text = match text.split_once(": ") {
        Some((who @ ("hound" | "warning"), what)) => {
            format!("{} {what}", Stream::Err.styled(Style::Red, &format!("{who}:")))
        }
        _ => text,
    };
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a line of results to standard output. A closed stdout is not a failure.
pub fn say(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{}", fitted(Stream::Out, text));
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
