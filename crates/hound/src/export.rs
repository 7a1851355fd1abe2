//! `hound export`: a collection in the format of another tool, written by [`scenthound_export`].

use std::path::PathBuf;

use scenthound_export::{Export, ExportError, ExportSettings, Exported, Extras, Format};

use crate::fault::bad_input;
use crate::filters::Filters;
use crate::wording::{count, counted};
use crate::{look, stdout};

/// Exports the pages of a crawl.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound export tea --to jsonl --relevant                 the records of relevant pages, on standard output
  hound export tea --to parquet --text -o tea.parquet    a table with the main text, for pandas and DuckDB
  hound export tea --to wacz -o tea.wacz                 the archive, to open in ReplayWeb.page or pywb
  hound export tea --to warc -o tea-gz                   the archive as .warc.gz files, also that of a crawl with --archive zst
  hound export tea --to text --lang en -o corpus         a text corpus in compressed parts, with a manifest
  hound export tea --to markdown --genre blog -o notes   one Markdown file per page
  hound export tea --to links -o links.tsv               the links, for hound graph build or networkx

Page ids are the same in every format and in hound search.")]
pub struct Args {
    /// The folder of the crawl; for nodes that crawled together the folder above theirs, or all of theirs
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: FormatArg,
    /// The file or folder to write; jsonl, csv and links go to standard output without it or with -
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Add the main text of each page, with author, date and licence where the page names them (jsonl, csv, parquet, wacz)
    #[arg(long)]
    text: bool,
    /// Add the URLs each page links to (jsonl, csv, parquet)
    #[arg(long)]
    links: bool,
    #[command(flatten)]
    filters: Filters,
}

/// The values of `--to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum FormatArg {
    /// One JSON object per page
    Jsonl,
    /// One row per page, for spreadsheets
    Csv,
    /// One row per page with typed columns
    Parquet,
    /// The archive with an index and a list of pages
    Wacz,
    /// The archive as .warc.gz files with their indexes
    Warc,
    /// A corpus of main texts in compressed parts
    Text,
    /// One Markdown file per page
    Markdown,
    /// One link per line: source, tab, target
    Links,
}

impl FormatArg {
    fn format(self) -> Format {
        match self {
            FormatArg::Jsonl => Format::Jsonl,
            FormatArg::Csv => Format::Csv,
            FormatArg::Parquet => Format::Parquet,
            FormatArg::Wacz => Format::Wacz,
            FormatArg::Warc => Format::Warc,
            FormatArg::Text => Format::Text,
            FormatArg::Markdown => Format::Markdown,
            FormatArg::Links => Format::Links,
        }
    }
}

/// Runs `hound export`.
pub fn run(args: Args) -> anyhow::Result<()> {
    let format = args.to.format();
    let output = args.output.as_ref().filter(|path| path.as_os_str() != "-");
    if output.is_none() && !format.is_stream() {
        refuse!("this format cannot be written to standard output; name a file or folder with -o");
    }
    let collection = look::collection_of(&args.folders)?;
    let export = Export::new(
        &collection,
        ExportSettings {
            format,
            pages: args.filters.settings(),
            extras: Extras {
                text: args.text,
                links: args.links,
            },
        },
    );
    let mut exported = Exported::default();
    match output {
        Some(path) => {
            exported = export.save(path).map_err(|error| match error {
                ExportError::NotEmpty(_) => bad_input(format!("{error}; choose another with -o")),
                error => error.into(),
            })?;
        }
        None => stdout::write(|out| {
            exported = export.write(out).map_err(closed_pipe)?;
            Ok(())
        })?,
    }
    for warning in &exported.warnings {
        complain!("warning: {warning}");
    }
    let mut text = counted(exported.pages, "page");
    if format == Format::Links {
        text = format!("{} of {text}", counted(exported.links, "link"));
    }
    if exported.unreadable > 0 {
        text.push_str(&format!(
            "; {} could not be read from the archive, so their text and links are missing",
            count(exported.unreadable)
        ));
    }
    if let Some(path) = output {
        text.push_str(&format!("; saved in {}", path.display()));
    }
    note!("{text}");
    args.filters.note_unmatched(&collection)
}

/// Lets the writer of standard output see that a pipe was closed.
fn closed_pipe(error: ExportError) -> anyhow::Error {
    match error {
        ExportError::Output(source) => source.into(),
        ExportError::Json(source) => source.into(),
        error => error.into(),
    }
}
