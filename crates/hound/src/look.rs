//! Opens crawl folders for the commands that read them. Errors suggest a remedy; warnings go to standard error.

use std::error::Error;
use std::path::{Path, PathBuf};

use anyhow::bail;
use scenthound::{
    Budget, BudgetMet, Budgets, Collection, CollectionError, Warning, gathered_from, read_as_one,
};
use scenthound_store::CrawlView;

use crate::stdout::note;

/// Opens the collection in a crawl folder, or that of all nodes in the folder above theirs.
pub fn collection(folder: &Path) -> anyhow::Result<Collection> {
    collection_of(&[folder.to_owned()])
}

/// Opens the one collection in these folders: that of a crawl, or of nodes that crawled together.
pub fn collection_of(folders: &[PathBuf]) -> anyhow::Result<Collection> {
    let folders = read_as_one(folders)?;
    let [folder] = folders.as_slice() else {
        refuse!("name one crawl; only the folders of nodes that crawled together are read as one");
    };
    match Collection::open(folder) {
        Err(error @ (CollectionError::Missing(_) | CollectionError::NoCrawl(_))) => {
            bail!("{error}; give the folder that was passed to hound crawl with -o")
        }
        Err(error @ CollectionError::NotAFolder(_)) => {
            bail!("{error}; give the folder that contains crawl.toml")
        }
        opened => Ok(opened?),
    }
}

/// Opens the files of a crawl folder.
pub fn open(folder: &Path) -> anyhow::Result<CrawlView> {
    Ok(collection(folder)?.view().clone())
}

/// Prints warnings, each with its causes.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings {
        let mut text = format!("warning: {warning}");
        let mut source = warning.source();
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        note(&text);
    }
}

/// The command that resumes a crawl. It works for every crawl because the stored settings are a topic file too.
pub fn resume_command(view: &CrawlView) -> String {
    let quoted = |path: &Path| {
        let text = path.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => text.into_owned(),
            false => format!("'{}'", text.replace('\'', r"'\''")),
        }
    };
    let layout = view.layout();
    let settings = quoted(&layout.settings());
    if gathered_from(view).is_some() {
        let above = layout
            .root()
            .parent()
            .filter(|above| !above.as_os_str().is_empty());
        let above = quoted(above.unwrap_or(Path::new(".")));
        return format!("hound crawl {settings} -o {above} --cluster redis://HOST:PORT");
    }
    format!("hound crawl {settings} -o {}", quoted(layout.root()))
}

/// The command that resumes a crawl and raises the budgets that are used up, since it would do nothing otherwise.
pub fn command_to_go_on(view: &CrawlView) -> String {
    let status = Collection::open(view.layout().root()).and_then(|collection| collection.status());
    let met = status.ok().and_then(|status| {
        let budgets = Budgets::of(status.settings.as_ref()?);
        Some(budgets.met(&status.figures))
    });
    resume_command(view) + &raise_met(&met.unwrap_or_default())
}

/// The option that sets a limit.
pub fn limit_option(budget: Budget, most: u64) -> String {
    match budget {
        Budget::Pages => format!("--max-pages {most}"),
        // Whole seconds, rounded up: they read better, and a fraction of a second does no harm.
        Budget::Time => format!("--max-time {}s", most.div_ceil(1_000)),
        Budget::Bytes => format!("--max-bytes {most}B"),
    }
}

/// The options that a resumed crawl needs if its budgets are used up: twice what was spent.
pub fn raise_met(met: &[BudgetMet]) -> String {
    let raised = met.iter().map(|met| {
        let more = met.most.max(met.spent).saturating_mul(2);
        format!(" {}", limit_option(met.budget, more))
    });
    raised.collect()
}

#[cfg(test)]
mod tests {
    use scenthound::StatusFile;

    use super::*;

    #[test]
    fn resuming_past_a_spent_budget_names_the_option_to_raise() {
        let budgets = Budgets {
            max_pages: Some(250),
            max_time_ms: Some(1_500),
            max_bytes: Some(10),
        };
        let spent = |pages, running_ms| StatusFile {
            pages,
            running_ms,
            ..StatusFile::default()
        };
        assert_eq!(raise_met(&budgets.met(&spent(249, 0))), "");
        assert_eq!(
            raise_met(&budgets.met(&spent(250, 1_600))),
            " --max-pages 500 --max-time 4s"
        );
    }
}
