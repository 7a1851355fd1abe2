//! Writes a synthetic web to a folder: records, labels, tasks and lists of relevant pages, in the form of a recorded web.
//!
//! The same web gives the same bytes: every record has one fixed date. Only the first pages of an endless calendar are
//! written; the rest count as not recorded. Dead links are recorded as pages with status 404.
//! Deliberately absent: robots.txt.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use scenthound_store::{Compression, Exchange, Packer, Protocol};
use scenthound_types::{CanonicalUrl, Timestamp};
use serde::Serialize;

use crate::synth::SynthFault;
use crate::synth::tasks::SynthTask;
use crate::synth::web::{SynthPage, SynthWeb};

/// 1 January 2025.
const DATE: Timestamp = Timestamp::from_millis(1_735_689_600_000);

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct TaskEntry<'a> {
    name: &'a str,
    title: &'a str,
    query: &'a str,
    seeds: &'a [String],
    relevant: String,
    examples_positive: String,
    examples_negative: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ignore: Option<String>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    genre: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    content: &'a [String],
}

#[derive(Serialize)]
struct Tasks<'a> {
    task: Vec<TaskEntry<'a>>,
}

/// Writes the web to a folder. `progress` is called with the number of pages written, now and then and at the end.
pub fn write_folder(web: &SynthWeb, folder: &Path, progress: &mut dyn FnMut(u32)) -> Result<(), SynthFault> {
    begin(folder)?;
    let mut files = Files::create(web, folder)?;
    let mut packer = Packer::with(web.settings().seed, Compression::PortableGzip);
    let mut sequence = 0;
    let mut url = String::new();
    let mut links = Vec::new();
    for page in 0..web.len() {
        url.clear();
        web.push_url(page, &mut url);
        files
            .records
            .pack(&mut packer, &mut sequence, &url, "200 OK", &web.html(page))?;
        web.links(page, &mut links);
        for target in links.iter().map(|link| link.target) {
            if let SynthPage::Dead { .. } = target {
                let url = web.target_url(target);
                files
                    .records
                    .pack(&mut packer, &mut sequence, &url, "404 Not Found", "")?;
            }
        }
        files.label(web, page, &url)?;
        for (task, relevant) in web.tasks().iter().zip(&mut files.relevant) {
            if web.is_target(task, page) && !task.is_aside(page) {
                relevant.line(&url)?;
            }
        }
        if page % 1_000 == 999 {
            progress(page + 1);
        }
    }
    for host in (0..web.host_count()).filter(|host| web.has_trap(*host)) {
        for n in 0..web.settings().trap_pages {
            let url = web.target_url(SynthPage::Trap { host, n });
            files.records.pack(
                &mut packer,
                &mut sequence,
                &url,
                "200 OK",
                &web.trap_html(host, n),
            )?;
        }
    }
    files.finish()?;
    for task in web.tasks() {
        write_list(web, folder, task, "positive", &task.positive)?;
        write_list(web, folder, task, "negative", &task.negative)?;
        if !task.ignored.is_empty() {
            write_list(web, folder, task, "ignore", &task.ignored)?;
        }
    }
    write_tasks(web, folder)?;
    progress(web.len());
    Ok(())
}

/// Creates the folder and its folder of lists; an existing folder must be empty.
fn begin(folder: &Path) -> Result<(), SynthFault> {
    let fault = |source| SynthFault::Write {
        path: folder.to_owned(),
        source,
    };
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(SynthFault::NotEmpty {
                    path: folder.to_owned(),
                });
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(fault(error)),
    }
    fs::create_dir_all(folder.join("qrels")).map_err(fault)
}

fn list_name(task: &SynthTask, kind: &str) -> String {
    format!("qrels/{}.{kind}.txt", task.name)
}

fn write_list(
    web: &SynthWeb,
    folder: &Path,
    task: &SynthTask,
    kind: &str,
    pages: &[u32],
) -> Result<(), SynthFault> {
    let mut file = Output::create(folder.join(list_name(task, kind)))?;
    for page in pages {
        file.line(&web.url(*page))?;
    }
    file.finish()
}

fn write_tasks(web: &SynthWeb, folder: &Path) -> Result<(), SynthFault> {
    let tasks = Tasks {
        task: web
            .tasks()
            .iter()
            .map(|task| TaskEntry {
                name: &task.name,
                title: &task.title,
                query: &task.query,
                seeds: &task.seeds,
                relevant: list_name(task, "relevant"),
                examples_positive: list_name(task, "positive"),
                examples_negative: list_name(task, "negative"),
                ignore: (!task.ignored.is_empty()).then(|| list_name(task, "ignore")),
                genre: &task.genre_terms,
                content: &task.content_terms,
            })
            .collect(),
    };
    let path = folder.join("tasks.toml");
    let text = toml::to_string(&tasks).map_err(|error| SynthFault::Write {
        path: path.clone(),
        source: io::Error::other(error),
    })?;
    let mut file = Output::create(path)?;
    file.bytes(b"# A synthetic web. The files of relevant pages have one URL per line. Example pages are not scored.\n\n")?;
    file.bytes(text.as_bytes())?;
    for task in web.tasks().iter().filter(|task| !task.exclude.is_empty()) {
        let words = task.exclude.join(", ");
        file.line(&format!(
            "# Words of the other meaning, for {}: {words}",
            task.name
        ))?;
    }
    file.finish()?;
    let path = folder.join("synth.toml");
    let text = toml::to_string(web.settings()).map_err(|error| SynthFault::Write {
        path: path.clone(),
        source: io::Error::other(error),
    })?;
    let mut file = Output::create(path)?;
    file.bytes(b"# The settings this web was generated with.\n")?;
    file.bytes(text.as_bytes())?;
    file.finish()
}

/// The files that grow page by page.
struct Files {
    records: Output,
    labels: Output,
    /// By task.
    relevant: Vec<Output>,
}

impl Files {
    fn create(web: &SynthWeb, folder: &Path) -> Result<Files, SynthFault> {
        let mut labels = Output::create(folder.join("labels.tsv"))?;
        labels.line("url\ttopic\tgenre\tlang\tlayer\ttitle")?;
        Ok(Files {
            records: Output::create(folder.join("pages.warc.gz"))?,
            labels,
            relevant: web
                .tasks()
                .iter()
                .map(|task| Output::create(folder.join(list_name(task, "relevant"))))
                .collect::<Result<_, _>>()?,
        })
    }

    fn label(&mut self, web: &SynthWeb, page: u32, url: &str) -> Result<(), SynthFault> {
        let topic = web.topic(page).map_or("none", |topic| web.topic_name(topic));
        let layer = web.layer(page).map_or(String::new(), |layer| layer.to_string());
        self.labels.line(&format!(
            "{url}\t{topic}\t{}\t{}\t{layer}\t{}",
            web.genre_name(web.genre(page)),
            web.language(page),
            web.title(page)
        ))
    }

    fn finish(self) -> Result<(), SynthFault> {
        self.records.finish()?;
        self.labels.finish()?;
        self.relevant.into_iter().try_for_each(Output::finish)
    }
}

/// A file that includes its path in errors.
struct Output {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Output {
    fn create(path: PathBuf) -> Result<Output, SynthFault> {
        match File::create_new(&path) {
            Ok(file) => Ok(Output {
                path,
                file: BufWriter::new(file),
            }),
            Err(source) => Err(SynthFault::Write { path, source }),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), SynthFault> {
        self.file.write_all(bytes).map_err(|source| SynthFault::Write {
            path: self.path.clone(),
            source,
        })
    }

    fn line(&mut self, line: &str) -> Result<(), SynthFault> {
        self.bytes(line.as_bytes())?;
        self.bytes(b"\n")
    }

    fn pack(
        &mut self,
        packer: &mut Packer,
        sequence: &mut u64,
        url: &str,
        status: &str,
        html: &str,
    ) -> Result<(), SynthFault> {
        let canonical = CanonicalUrl::parse(url).map_err(|source| SynthFault::Url {
            url: url.to_owned(),
            source,
        })?;
        let response = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{html}",
            html.len()
        );
        let exchange = Exchange {
            sequence: *sequence,
            url: &canonical,
            ip: None,
            date: DATE,
            protocol: Protocol::Http1,
            request: b"",
            response: response.as_bytes(),
            truncated: None,
            metadata: b"",
        };
        *sequence += 1;
        let packed = packer.pack(&exchange).map_err(|source| SynthFault::Pack {
            url: url.to_owned(),
            source: Box::new(source),
        })?;
        self.bytes(packed.bytes())
    }

    fn finish(mut self) -> Result<(), SynthFault> {
        self.file.flush().map_err(|source| SynthFault::Write {
            path: self.path,
            source,
        })
    }
}
