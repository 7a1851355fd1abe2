//! Training models from example pages: judges of relevance, detectors of genres, and the layers around targets.
//!
//! The models themselves are in `scenthound_judge`. Here training sets are put together from pages, and what the data cannot
//! support is said.

mod genre;
mod layers;
mod relevance;

pub use self::genre::{ClassMap, LabelFileError, LabelledLine, LabelledList, group_of, usual_forest};
pub use self::layers::{LayerPages, layer_urls};
pub use self::relevance::{
    ExampleClass, KernelSettings, RelevanceExamples, RelevanceSettings, TrainError, TrainedRelevance,
    TrainingWarning,
};
