//! The files of a crawl folder may be damaged: whoever reads them gets an error or what is left, never a panic.
//!
//! The first byte chooses which file the rest is.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use scenthound_store::{
    ArchiveSettings, CrawlFolder, CrawlView, Mark, PagesFile, RecordFiles, Steering, SteeringReader,
};

const FILES: [&str; 6] = [
    "pages/pages.jsonl",
    "pages/current.json",
    "pages/judgements-1.jsonl",
    "steering.jsonl",
    "indexes/t-00000.log",
    "archive/t-00000.warc.gz",
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    let place = if Path::new("/dev/shm").is_dir() {
        "/dev/shm"
    } else {
        "/tmp"
    };
    let root = Path::new(place).join(format!("scenthound-fuzz-folder-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    let folder = CrawlFolder::open_or_create(&root).expect("a folder to write to");
    let path = root.join(FILES[usize::from(*choice) % FILES.len()]);
    let written =
        std::fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| std::fs::write(&path, bytes));
    written.expect("a folder to write to");
    if let Ok(view) = CrawlView::open(&root)
        && let Ok(pages) = view.pages()
    {
        for record in pages.take(1_000) {
            if let Ok(record) = record
                && let Some(position) = &record.archive
            {
                let _ = view.record(position);
            }
        }
    }
    let mut reader = SteeringReader::new(folder.layout());
    let _ = reader.poll();
    let _ = Steering::of(reader.actions());
    let _ = scenthound_store::bring_indexes_up_to_date(folder.layout());
    let _ = PagesFile::repaired_length(&folder.layout().pages(), u64::MAX);
    let settings = ArchiveSettings::named("t", 0);
    if let Ok(mark) = RecordFiles::rescued_mark(&folder, &settings) {
        let _ = RecordFiles::open(&folder, settings.clone(), mark);
    }
    let _ = RecordFiles::open(&folder, settings, Mark::default());
});
