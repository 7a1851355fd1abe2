//! What the lab prints on stderr while it works.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use scenthound_lab::{Lab, LabEvent, LabOptions};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::webs::{cache_folder, spinner};

/// Runs a closure with a lab that shows its progress on stderr. The first Ctrl-C stops the crawls of a batch.
pub fn with_lab<T>(threads: Option<usize>, run: impl FnOnce(&Lab<'_>) -> Result<T>) -> Result<T> {
    let console = Console::default();
    let begun = Instant::now();
    run(&Lab::new(LabOptions {
        folder: std::env::current_dir().context("could not determine the current directory")?,
        cache: cache_folder(),
        threads,
        tell: &|event| console.show(event),
        clock: &|| begun.elapsed(),
        stop: &console.stop,
    }))
}

#[derive(Default)]
struct Console {
    bar: Mutex<Option<ProgressBar>>,
    stop: Arc<AtomicBool>,
}

impl Console {
    fn show(&self, event: LabEvent<'_>) {
        match event {
            LabEvent::Opening { web } => self.step(format!("opening {web}")),
            LabEvent::Reading { web, pages } => self.step(format!("reading {web}: {pages} pages")),
            LabEvent::Judging { task, judged, pages } => {
                self.step(format!("{task}: {judged} of {pages} pages judged"));
            }
            LabEvent::JudgingFor { label } => self.step(format!("judging {label}")),
            LabEvent::CrawlsBegin { crawls } => self.begin_crawls(crawls),
            LabEvent::CrawlEnded => {
                if let Ok(bar) = self.bar.lock() {
                    bar.iter().for_each(|bar| bar.inc(1));
                }
            }
            LabEvent::StepEnded | LabEvent::CrawlsEnded => self.end(),
            LabEvent::ArchiveDamaged { warning } => complain!("warning: {warning}"),
            LabEvent::NotCached => {
                note!("note: the parsed web could not be cached; the next run will read the archive again");
            }
            LabEvent::NegativesDrawn { task, pages } => {
                note!(
                    "task {task} has no negative examples; {pages} random pages of the web are used instead"
                );
            }
            LabEvent::ContextGraph {
                task,
                layers,
                learnt_from,
                evidence,
            } => {
                let sizes: Vec<String> = layers.iter().map(ToString::to_string).collect();
                note!(
                    "context graph of {task}: {} pages, {learnt_from} used for training; {evidence} words count in full",
                    sizes.join("/")
                );
            }
            _ => {}
        }
    }

    fn step(&self, message: String) {
        if let Ok(mut bar) = self.bar.lock() {
            let bar = bar.get_or_insert_with(|| spinner(""));
            bar.set_message(message);
            bar.tick();
        }
    }

    fn begin_crawls(&self, crawls: usize) {
        for signal in [SIGINT, SIGTERM] {
            if let Err(error) = signal_hook::flag::register(signal, self.stop.clone()) {
                complain!("warning: Ctrl-C will end the program without a report: {error}");
            }
        }
        let bar = ProgressBar::new(crawls as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} crawls  {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.tick();
        if let Ok(mut shown) = self.bar.lock() {
            *shown = Some(bar);
        }
    }

    fn end(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}
