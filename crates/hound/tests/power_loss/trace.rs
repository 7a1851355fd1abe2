//! Everything a process did to the files in a folder, in order, as strace saw it.
//!
//! A call counts from when it returned; a flush covers what had returned before it began. Calls of several threads may
//! overlap, so a flush has two times.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The calls that change files, positions in files, or which file a number stands for.
const CALLS: &str = "openat,open,close,dup,dup2,dup3,fcntl,read,write,pwrite64,writev,pwritev,pwritev2,lseek,\
    ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,\
    rmdir,link,linkat,symlink,symlinkat,copy_file_range,sendfile,splice";

/// A file or a folder, whatever its name.
pub type Inode = usize;
/// The folder above the one that is watched. It is always there.
pub const ROOT: Inode = 0;

/// A change that a power failure may undo unless it was flushed.
#[derive(Clone, Debug)]
pub enum Change {
    /// Bytes were written.
    Write { file: Inode, at: u64, bytes: Vec<u8> },
    /// The length was set.
    Length { file: Inode, length: u64 },
    /// A file or folder got a name.
    Name {
        folder: Inode,
        name: String,
        inode: Inode,
    },
    /// A name went to another place, and replaced what was there.
    Rename {
        from: (Inode, String),
        to: (Inode, String),
    },
    /// A name was removed.
    Remove { folder: Inode, name: String },
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A change, in effect for the process from here on.
    Changed(Change),
    /// A file or folder is on the disk, as it was when the flush began.
    Flushed { inode: Inode, began: usize },
    /// A second number for an open file.
    Duplicated(Inode),
}

/// A recorded run.
#[derive(Default)]
pub struct Trace {
    /// What happened, each with its place in the order of all calls.
    pub events: Vec<(usize, Event)>,
    /// Which inodes are folders.
    pub folders: Vec<bool>,
}

/// Whether strace is there and may trace.
pub fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

/// The same command under strace, which writes to a file.
pub fn traced(command: &Command, to: &Path) -> Command {
    let mut traced = Command::new("strace");
    traced
        .args(["-f", "-xx", "-s", "100000000", "-e", "signal=none", "-e"])
        .arg(format!("trace={CALLS}"))
        .arg("-o")
        .arg(to)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        traced.current_dir(folder);
    }
    traced
}

/// An open file: what it is, and where the next read or write begins.
#[derive(Clone)]
struct Open {
    inode: Inode,
    position: std::rc::Rc<std::cell::Cell<u64>>,
    appends: bool,
}

#[derive(Default)]
struct Reader {
    root: PathBuf,
    trace: Trace,
    /// The entries of every folder, as the process sees them.
    entries: Vec<HashMap<String, Inode>>,
    lengths: Vec<u64>,
    /// What was written to every file.
    contents: Vec<Vec<u8>>,
    open: HashMap<i64, Open>,
    /// Where folders are, for names relative to an open one.
    paths: HashMap<i64, PathBuf>,
}

/// Reads what strace wrote about one run after the other, for everything below `root`.
pub fn read(texts: &[String], root: &Path) -> Trace {
    let mut reader = Reader {
        root: root.to_owned(),
        ..Reader::default()
    };
    assert_eq!(reader.inode(true), ROOT);
    let mut first = 0;
    for text in texts {
        first += reader.read(text, first);
        reader.open.clear();
        reader.paths.clear();
    }
    reader.trace
}

impl Reader {
    /// Reads one run, whose lines are numbered from `first`. Returns how many there were.
    fn read(&mut self, text: &str, first: usize) -> usize {
        let mut lines = 0;
        let mut unfinished: HashMap<&str, (usize, &str)> = HashMap::new();
        for line in text.lines() {
            let number = first + lines;
            lines += 1;
            let Some((process, call)) = line.split_once(' ') else {
                continue;
            };
            let call = call.trim_start();
            if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
                unfinished.insert(process, (number, begun));
            } else if let Some(resumed) = call.strip_prefix("<... ") {
                let Some((began, begun)) = unfinished.remove(process) else {
                    continue;
                };
                let rest = resumed.split_once(" resumed>").map_or("", |(_, rest)| rest);
                self.take(&format!("{begun}{rest}"), began, number);
            } else {
                self.take(call, number, number);
            }
        }
        lines
    }

    fn inode(&mut self, is_folder: bool) -> Inode {
        self.trace.folders.push(is_folder);
        self.entries.push(HashMap::new());
        self.lengths.push(0);
        self.contents.push(Vec::new());
        self.entries.len() - 1
    }

    fn changed(&mut self, number: usize, change: Change) {
        self.trace.events.push((number, Event::Changed(change)));
    }

    /// The folder and the name that a path stands for, if it is below the root and its folder is known.
    fn place(&self, path: &Path) -> Option<(Inode, String)> {
        let inside = path.strip_prefix(&self.root).ok()?;
        let mut names = inside.components().map(|part| match part {
            Component::Normal(name) => name.to_str().map(str::to_owned),
            _ => None,
        });
        let last = names.next_back()??;
        let mut folder = ROOT;
        for name in names {
            folder = *self.entries.get(folder)?.get(&name?)?;
        }
        Some((folder, last))
    }

    fn find(&self, path: &Path) -> Option<Inode> {
        if path == self.root {
            return Some(ROOT);
        }
        let (folder, name) = self.place(path)?;
        self.entries.get(folder)?.get(&name).copied()
    }

    /// The path of an argument pair: a folder's number and a name.
    fn path(&self, folder: &str, name: &str) -> Option<PathBuf> {
        let name = PathBuf::from(String::from_utf8(bytes_of(name)?).ok()?);
        if name.is_absolute() {
            return Some(name);
        }
        let above = self.paths.get(&folder.trim().parse::<i64>().ok()?)?;
        Some(above.join(name))
    }

    fn take(&mut self, call: &str, began: usize, number: usize) {
        let Some((name, rest)) = call.split_once('(') else {
            return;
        };
        let Some((arguments, result)) = rest.rsplit_once(") ") else {
            return;
        };
        let result = result.trim_start().trim_start_matches('=').trim_start();
        let result: i64 = match result.split(' ').next().and_then(|result| result.parse().ok()) {
            Some(result) if result >= 0 => result,
            _ => return,
        };
        let arguments = split(arguments);
        let argument = |n: usize| arguments.get(n).copied().unwrap_or_default();
        let file = self.open.get(&argument(0).trim().parse().unwrap_or(-1)).cloned();
        match name {
            "openat" => self.opened(argument(0), argument(1), argument(2), result, number),
            "open" => self.opened("", argument(0), argument(1), result, number),
            "close" => {
                let number = argument(0).parse().unwrap_or(-1);
                self.open.remove(&number);
                self.paths.remove(&number);
            }
            "dup" | "dup2" | "dup3" => self.duplicated(argument(0), result, number),
            "fcntl" if argument(1).trim().starts_with("F_DUPFD") => {
                self.duplicated(argument(0), result, number);
            }
            "fcntl" => {}
            "read" => {
                if let Some(file) = file {
                    file.position.set(file.position.get() + result as u64);
                }
            }
            "write" => {
                if let Some(file) = file {
                    let bytes = bytes_of(argument(1)).expect("the bytes that were written");
                    self.wrote(&file, bytes, result as usize, number);
                }
            }
            "pwrite64" => {
                if let Some(file) = file {
                    let bytes = bytes_of(argument(1)).expect("the bytes that were written");
                    let at = argument(3).trim().parse().expect("where they were written");
                    self.wrote_at(file.inode, at, bytes, result as usize, number);
                }
            }
            "lseek" => {
                if let Some(file) = file {
                    file.position.set(result as u64);
                }
            }
            "ftruncate" => {
                if let Some(file) = file {
                    let length = argument(1).trim().parse().expect("a length");
                    self.lengths[file.inode] = length;
                    self.contents[file.inode].truncate(length as usize);
                    self.changed(
                        number,
                        Change::Length {
                            file: file.inode,
                            length,
                        },
                    );
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(file) = file {
                    let flushed = Event::Flushed {
                        inode: file.inode,
                        began,
                    };
                    self.trace.events.push((number, flushed));
                }
            }
            "rename" => self.renamed(self.path("", argument(0)), self.path("", argument(1)), number),
            "renameat" | "renameat2" => self.renamed(
                self.path(argument(0), argument(1)),
                self.path(argument(2), argument(3)),
                number,
            ),
            "unlink" | "rmdir" => self.removed(self.path("", argument(0)), number),
            "unlinkat" => self.removed(self.path(argument(0), argument(1)), number),
            "mkdir" => self.made(self.path("", argument(0)), number),
            "mkdirat" => self.made(self.path(argument(0), argument(1)), number),
            "copy_file_range" => self.copied(argument(0), argument(2), result as usize, number),
            "sendfile" => self.copied(argument(1), argument(0), result as usize, number),
            _ if file.is_none() => {}
            _ => panic!("a call that the recording cannot follow: {call:.200}"),
        }
    }

    fn opened(&mut self, folder: &str, name: &str, flags: &str, result: i64, number: usize) {
        self.open.remove(&result);
        self.paths.remove(&result);
        let Some(path) = self.path(folder, name) else {
            return;
        };
        let inode = match (self.find(&path), self.place(&path)) {
            (Some(inode), _) => inode,
            (None, Some((folder, name))) if flags.contains("O_CREAT") => {
                let inode = self.inode(false);
                self.entries[folder].insert(name.clone(), inode);
                self.changed(number, Change::Name { folder, name, inode });
                inode
            }
            _ => return,
        };
        if flags.contains("O_TRUNC") && self.lengths[inode] > 0 {
            self.lengths[inode] = 0;
            self.contents[inode].clear();
            self.changed(
                number,
                Change::Length {
                    file: inode,
                    length: 0,
                },
            );
        }
        self.paths.insert(result, path);
        self.open.insert(
            result,
            Open {
                inode,
                position: std::rc::Rc::default(),
                appends: flags.contains("O_APPEND"),
            },
        );
    }

    fn duplicated(&mut self, from: &str, to: i64, number: usize) {
        let from: i64 = from.trim().parse().unwrap_or(-1);
        self.open.remove(&to);
        if let Some(file) = self.open.get(&from).cloned() {
            self.trace.events.push((number, Event::Duplicated(file.inode)));
            self.open.insert(to, file);
        }
        if let Some(path) = self.paths.get(&from).cloned() {
            self.paths.insert(to, path);
        }
    }

    /// Bytes were copied from one open file to another, each at its position.
    fn copied(&mut self, from: &str, to: &str, length: usize, number: usize) {
        let file = |name: &str| self.open.get(&name.trim().parse().unwrap_or(-1)).cloned();
        let (Some(from), to) = (file(from), file(to)) else {
            assert!(file(to).is_none(), "what was copied is not known");
            return;
        };
        let start = from.position.get() as usize;
        from.position.set((start + length) as u64);
        let Some(to) = to else { return };
        let mut bytes = self.contents[from.inode]
            .get(start..)
            .unwrap_or_default()
            .to_vec();
        bytes.resize(length, 0);
        self.wrote(&to, bytes, length, number);
    }

    fn wrote(&mut self, file: &Open, bytes: Vec<u8>, written: usize, number: usize) {
        let at = match file.appends {
            true => self.lengths[file.inode],
            false => file.position.get(),
        };
        file.position.set(at + written as u64);
        self.wrote_at(file.inode, at, bytes, written, number);
    }

    fn wrote_at(&mut self, file: Inode, at: u64, mut bytes: Vec<u8>, written: usize, number: usize) {
        assert!(bytes.len() >= written, "strace cut a write short");
        bytes.truncate(written);
        let end = at + written as u64;
        self.lengths[file] = self.lengths[file].max(end);
        let content = &mut self.contents[file];
        if content.len() < end as usize {
            content.resize(end as usize, 0);
        }
        content[at as usize..end as usize].copy_from_slice(&bytes);
        self.changed(number, Change::Write { file, at, bytes });
    }

    fn made(&mut self, path: Option<PathBuf>, number: usize) {
        let Some((folder, name)) = path.and_then(|path| self.place(&path)) else {
            return;
        };
        let inode = self.inode(true);
        self.entries[folder].insert(name.clone(), inode);
        self.changed(number, Change::Name { folder, name, inode });
    }

    fn renamed(&mut self, from: Option<PathBuf>, to: Option<PathBuf>, number: usize) {
        let places = from
            .and_then(|from| self.place(&from))
            .zip(to.and_then(|to| self.place(&to)));
        let Some((from, to)) = places else { return };
        let Some(inode) = self.entries[from.0].remove(&from.1) else {
            return;
        };
        self.entries[to.0].insert(to.1.clone(), inode);
        self.changed(number, Change::Rename { from, to });
    }

    fn removed(&mut self, path: Option<PathBuf>, number: usize) {
        let Some((folder, name)) = path.and_then(|path| self.place(&path)) else {
            return;
        };
        if self.entries[folder].remove(&name).is_some() {
            self.changed(number, Change::Remove { folder, name });
        }
    }
}

/// The arguments of a call. Strings are written in hexadecimal, so a comma always separates.
fn split(arguments: &str) -> Vec<&str> {
    arguments.split(", ").collect()
}

/// The bytes of a string that strace wrote in hexadecimal.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(digits.len() / 4);
    for byte in digits.as_bytes().chunks(4) {
        let [b'\\', b'x', high, low] = byte else {
            return None;
        };
        let digit = |digit: u8| (digit as char).to_digit(16);
        bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
    }
    Some(bytes)
}
