//! Synthetic webs: any number of pages, with given shares of topics, genres, links and words.
//!
//! A [`SynthWeb`] is virtual. The URL, words and links of a page are computed from the seed, the settings and the page's
//! number on demand. Memory grows with the number of hosts, not pages, so ten million pages are no problem. The same
//! seed and settings give the same bytes on every run. It is a [`TestSite`](scenthound_testweb::TestSite), so it can be crawled
//! directly, served on loopback, or written as a folder of records and tasks ([`write_folder`]).
//!
//! Named presets mirror the experiments of five papers on focused crawling ([`preset`]).
//!
//! Deliberately absent: crawling, judging, and anything copied from a real page. Which pages are relevant is known by
//! construction.

mod address;
mod fault;
mod folder;
mod html;
mod layout;
mod linking;
mod nature;
mod presets;
mod rng;
mod settings;
mod table2;
pub mod tables;
mod tasks;
mod text;
mod web;
mod words;

pub use crate::synth::fault::SynthFault;
pub use crate::synth::folder::write_folder;
pub use crate::synth::nature::PageKind;
pub use crate::synth::presets::{preset, preset_names};
pub use crate::synth::settings::{
    GenreShare, GenreTerms, LanguageShare, Layers, MOST_LINKS, SeedKind, Spread, SynthSettings, TaskSetting,
    TermLists,
};
pub use crate::synth::tables::{GenreRow, LinkTable};
pub use crate::synth::tasks::SynthTask;
pub use crate::synth::text::{BlockKind, BlockLink, SynthBlock};
pub use crate::synth::web::{SynthLink, SynthPage, SynthWeb};
