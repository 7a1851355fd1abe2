//! Any file can be read as a list of links or of hosts: what is wrong is counted.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use scenthound_graph::{BadLines, GraphBuilder, read_edge_list, read_vertices};

fuzz_target!(|data: &[u8]| {
    let place = if Path::new("/dev/shm").is_dir() {
        "/dev/shm"
    } else {
        "/tmp"
    };
    let folder = Path::new(place).join(format!("scenthound-fuzz-{}", std::process::id()));
    let list = folder.join("list");
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&list, data));
    written.expect("a folder to write to");
    let mut builder = GraphBuilder::new(&folder, 1 << 20).expect("a folder to write to");
    let _ = read_edge_list(&list, &mut builder, BadLines::Skip, &mut |_| {});
    let _ = read_vertices(&list, &mut builder, BadLines::Skip, &mut |_| {});
});
