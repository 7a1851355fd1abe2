//! Formats with one line per page or link.

use std::io::Write;

use scenthound_report::text::csv_line;

use crate::page::Extras;
use crate::table::{Cell, columns};
use crate::{Export, ExportError, Exported};

pub(crate) fn write_jsonl(export: &Export<'_>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    export.each_page(export.settings.extras, |page| {
        serde_json::to_writer(&mut *out, &page)?;
        out.write_all(b"\n").map_err(ExportError::Output)
    })
}

pub(crate) fn write_csv(export: &Export<'_>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let extras = export.settings.extras;
    let columns = columns(extras);
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    out.write_all(csv_line(&names).as_bytes())
        .map_err(ExportError::Output)?;
    export.each_page(extras, |page| {
        let row: Vec<String> = columns
            .iter()
            .map(|column| match (column.get)(&page) {
                // As in the records; the other forms of a time are for programs.
                Cell::Time(_) => page.page.record.fetched_at.clone(),
                cell => shown(cell),
            })
            .collect();
        out.write_all(csv_line(&row).as_bytes())
            .map_err(ExportError::Output)
    })
}

fn shown(cell: Cell) -> String {
    fn or_empty<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    match cell {
        Cell::Text(text) => text.unwrap_or_default(),
        Cell::Number(number) => or_empty(number),
        Cell::Whole(number) | Cell::Time(number) => or_empty(number),
        Cell::Flag(flag) => or_empty(flag),
        Cell::List(list) => list.join(" "),
    }
}

/// One link per line, `source<TAB>target`, as `hound graph build` and most graph libraries read it.
pub(crate) fn write_links(export: &Export<'_>, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut links = 0;
    let extras = Extras {
        links: true,
        text: false,
    };
    let exported = export.each_page(extras, |page| {
        for target in page.links.iter().flatten() {
            writeln!(out, "{}\t{target}", page.page.record.url).map_err(ExportError::Output)?;
            links += 1;
        }
        Ok(())
    })?;
    Ok(Exported { links, ..exported })
}
