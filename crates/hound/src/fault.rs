//! Errors as the user sees them: bad input has an exit code of its own.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use scenthound::RejudgeError;
use scenthound::graph::GraphError;
use scenthound::inputs::InputError;
use scenthound::seeds::SeedSearchError;
use scenthound::terms::{SuggestError, TermFileError};
use scenthound::train::{LabelFileError, TrainError};
use scenthound_config::{BuildError, Faults};
use scenthound_graph::{GraphFault, TooMany};
use scenthound_judge::JudgeFault;
use scenthound_judge::terms::TermsFault;
use scenthound_lab::LabError;
use scenthound_lab::recorded::RecordedFault;
use scenthound_lab::synth::SynthFault;

use crate::exit;

/// The user's input is wrong; the message says how to correct it.
#[derive(Debug)]
struct BadInput(String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BadInput {}

/// An error about the user's input.
pub fn bad_input(message: impl fmt::Display) -> anyhow::Error {
    BadInput(message.to_string()).into()
}

/// Prints an error, and returns the exit code for it.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_bad_input(error) {
        complain!("hound: {}", in_full(error.as_ref()));
        return ExitCode::from(exit::BAD_SETTINGS);
    }
    complain!("hound: {error:#}");
    ExitCode::from(exit::FAILURE)
}

/// Whether the user's input is at fault, rather than the system or the web.
fn is_bad_input(error: &anyhow::Error) -> bool {
    macro_rules! is_any { ($($kind:ty),*) => { $(error.is::<$kind>())||* }; }
    macro_rules! says_so {
        ($($kind:ty),*) => { $(error.downcast_ref::<$kind>().is_some_and(<$kind>::is_bad_input))||* };
    }
    is_any!(
        BadInput,
        Faults,
        BuildError,
        RecordedFault,
        SynthFault,
        LabelFileError,
        TermsFault,
        TooMany
    ) || says_so!(
        GraphError,
        GraphFault,
        InputError,
        JudgeFault,
        LabError,
        RejudgeError
    ) || says_so!(SeedSearchError, SuggestError, TermFileError, TrainError)
}

/// An error and its causes, without causes that its message already contains.
fn in_full(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
