//! Synthetic webs: as many pages as wanted, with topics, genres, links and words by given shares.
//!
//! A [`SynthWeb`] is virtual. Address, words and links of a page are computed from the seed, the settings and the page's
//! number whenever they are asked for; memory goes by hosts, not by pages, so ten million pages are no matter. The same
//! seed and settings give the same bytes on every run. It is a [`TestSite`](scenthound_testweb::TestSite), so it can be crawled
//! as it is, served on loopback, or written as a folder of records and tasks ([`write_folder`]).
//!
//! Presets by name mirror the experiments of five papers on focused crawling ([`preset`]).
//!
//! Deliberately absent: crawling, judging, and anything copied from a real page. What is relevant is known from the
//! making.

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
    GenreShare, LanguageShare, Layers, MOST_LINKS, SeedKind, Spread, SynthSettings, TaskSetting,
};
pub use crate::synth::tables::{GenreRow, LinkTable};
pub use crate::synth::tasks::SynthTask;
pub use crate::synth::text::{BlockKind, BlockLink, SynthBlock};
pub use crate::synth::web::{SynthLink, SynthPage, SynthWeb};
