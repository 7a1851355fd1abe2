//! Turns numbers, times, records and text from the web into what people read.
//!
//! Records hold codes; the sentences for them are here and nowhere else.
//!
//! Text from the web passes through [`harmless`] before it reaches a terminal: a title must not move the cursor,
//! change the colours or turn the line around.

use std::collections::BTreeMap;
use std::time::Duration;

use scenthound_engine::{StopReason, share};
use scenthound_store::{PageRecord, Via};
use scenthound_types::{LeaseKind, OutcomeCode, PageNote, Parts, TermSet, Verdict};

/// A count with thousands separators: `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and what is counted: `1 page`, `1,234 pages`.
pub fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", count(number)),
    }
}

/// An amount of bytes to three digits: `34.5 MB`.
pub fn bytes(amount: u64) -> String {
    const UNITS: [(&str, f64); 4] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    let exact = amount as f64;
    // 999.95 KB would round to 1000 KB, which has four digits.
    match UNITS.iter().find(|(_, size)| exact >= size * 0.9995) {
        Some((unit, size)) => {
            let value = exact / size;
            let decimals = match value {
                v if v < 9.995 => 2,
                v if v < 99.95 => 1,
                _ => 0,
            };
            format!("{value:.decimals$} {unit}")
        }
        None => format!("{amount} B"),
    }
}

/// A length of time in its two largest units: `2 h 13 min`.
pub fn time(length: Duration) -> String {
    let seconds = length.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    if days > 0 {
        format!("{days} d {} h", hours % 24)
    } else if hours > 0 {
        format!("{hours} h {} min", minutes % 60)
    } else if minutes > 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else if seconds >= 10 {
        format!("{seconds} s")
    } else {
        format!("{:.1} s", length.as_millis() as f64 / 1000.0)
    }
}

/// Why an attempt brought no page, with the option that could change it.
fn failure(record: &PageRecord) -> Option<String> {
    use OutcomeCode::*;
    let text = match record.outcome {
        Ok | OkTruncated | Redirect => return None,
        RefusedRobots => "the host's robots.txt disallows it",
        RefusedRobotsUnreachable => {
            "the host's robots.txt could not be fetched, so nothing is fetched from the host"
        }
        RefusedAddress => "the host's address is private or local (see --allow-net)",
        RefusedPort => "its port belongs to another service than the web, such as mail",
        RefusedContentType => "its content type is not supported",
        RefusedRedirectTarget => "it redirects to something other than an http or https URL",
        RefusedTooManyRedirects => "too many redirects in a row (see --redirects)",
        RefusedScope => "it redirects to a URL outside the crawl's scope",
        RefusedHostBudget => {
            "the host brought nothing new or relevant for too long, or has had its share (see --host-allowance and --host-limit)"
        }
        RefusedUrlPattern => {
            "URLs of its pattern brought nothing new or relevant for too long (see --pattern-allowance)"
        }
        RefusedInertParameter => {
            "it differs from a page that was read only by parameters that do not change the page (see --allow-traps)"
        }
        RefusedNewHosts => {
            "it redirects to a domain that has led to too many new hosts (see --new-hosts-per-domain)"
        }
        FailedDnsNoName => "the host name does not exist",
        FailedDns => "the host name could not be resolved",
        FailedConnect => "the connection was refused or the host is unreachable",
        FailedConnectTimeout => "no connection was made in time (see --connect-timeout)",
        FailedTls => "the TLS handshake failed",
        FailedFirstByteTimeout => "the server did not respond in time (see --first-byte-timeout)",
        FailedDisconnect => "the connection closed before the response",
        FailedProtocol => "the response is not valid HTTP, or its headers are too large",
        FailedBody => "the body is damaged: its chunks or its encoding are invalid",
        FailedProxy => "the proxy refused or failed",
        FailedStatus5xx | FailedStatus4xx | FailedStatus => {
            return Some(match record.status {
                Some(status) => format!("the server answered {status}"),
                None => "the server answered with an error".to_owned(),
            });
        }
        FailedInternal => "the crawler itself failed; please report the URL",
        NotRecorded => "the recording does not contain it",
    };
    Some(text.to_owned())
}

/// What a note about a page means.
pub fn note_text(note: PageNote, record: &PageRecord) -> String {
    let text = match note {
        PageNote::Noindex => "the page asks not to be indexed (noindex): not shown in results",
        PageNote::Nofollow => "the page asks that its links not be followed (nofollow)",
        PageNote::Noarchive => "the page asks not to be archived (noarchive)",
        PageNote::UnwantedLanguage => "its language is not wanted: not kept, and its links not followed",
        PageNote::WrongSense => return wrong_sense(record),
        PageNote::Encrypted => "the document is encrypted: nothing of it was read",
        PageNote::NoText => {
            "the document has no text that can be read: it may be a scan, or its fonts may show shapes only"
        }
    };
    text.to_owned()
}

/// Why a page in the wrong sense was ignored.
fn wrong_sense(record: &PageRecord) -> String {
    let hits = record.parts.iter().flat_map(|parts| &parts.terms);
    let words: Vec<&str> = hits
        .filter(|hit| hit.set == TermSet::Exclude)
        .map(|hit| &*hit.term)
        .collect();
    let links = match record.skipped.unwrap_or_default().wrong_sense {
        0 => String::new(),
        1 => ", its link dropped".to_owned(),
        links => format!(", its {} links dropped", count(links.into())),
    };
    format!("in the wrong sense ({}): ignored{links}", words.join(", "))
}

/// What went wrong with an attempt, and notes about its page. `None` if there is nothing to say.
pub fn remarks(record: &PageRecord) -> Option<String> {
    let mut remarks: Vec<String> = failure(record).into_iter().collect();
    if record.will_retry {
        remarks.push("will be tried again".to_owned());
    }
    remarks.extend(record.notes.iter().map(|note| note_text(*note, record)));
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// Why pages are hidden, with numbers if there is more than one reason.
pub fn hidden_by(notes: &BTreeMap<PageNote, u64>) -> String {
    let reasons = notes.iter().map(|(note, pages)| {
        let reason = match note {
            PageNote::UnwantedLanguage => "in an unwanted language",
            PageNote::WrongSense => "in the wrong sense",
            PageNote::Noindex => "noindex",
            PageNote::Nofollow | PageNote::Noarchive | PageNote::Encrypted | PageNote::NoText => "other",
        };
        match notes.len() {
            1 => reason.to_owned(),
            _ => format!("{} {reason}", count(*pages)),
        }
    });
    reasons.collect::<Vec<_>>().join(", ")
}

/// How a URL was found, and its priority.
pub fn found_by(kind: LeaseKind, via: Via, class: Option<u16>, score: Option<f64>) -> String {
    let way = match (via, kind) {
        (Via::Seed, _) => "seed",
        (Via::Link, _) => "linked from its parent",
        (Via::Redirect, _) => "redirected here",
        (Via::Sitemap, _) => "listed in a sitemap",
        (Via::Requisite, _) => "needed by its parent to be shown",
        (Via::Host, LeaseKind::Robots) => return "the host's robots.txt".to_owned(),
        (Via::Host, _) => return "the host's sitemap".to_owned(),
    };
    let (Some(class), Some(score)) = (class, score) else {
        return way.to_owned();
    };
    // Scores made of cash are often far below a thousandth.
    let score = if score != 0.0 && score.abs() < 0.001 {
        format!("{score:.2e}")
    } else {
        format!("{score:.3}")
    };
    format!("{way}, priority {score} in class {class}")
}

/// A share in hundredths.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Why a crawl ended, with the option that lets it continue.
pub fn stop_reason(reason: StopReason) -> String {
    let option = match reason {
        StopReason::Exhausted | StopReason::OnlyRestingHosts => return reason.to_string(),
        StopReason::Yield { pages, relevant } => {
            let recent = share(relevant, pages);
            return format!(
                "the last {} brought {} relevant, a share of {} (95 %: {} to {}), which is below --least-yield",
                counted(pages, "page"),
                count(relevant),
                percent(recent.value),
                percent(recent.low),
                percent(recent.high)
            );
        }
        StopReason::Found {
            found,
            unfound,
            at_most,
        } => {
            return format!(
                "{} relevant pages are found and about {} more can be expected, at most {} (95 %), which is --enough",
                count(found),
                count(unfound),
                count(at_most)
            );
        }
        StopReason::Goals => "--goal",
        StopReason::Shares => "--max-pages; --redistribute passes shares on",
        StopReason::Pages => "--max-pages",
        StopReason::Time => "--max-time",
        StopReason::Bytes => "--max-bytes",
    };
    format!("{reason} ({option})")
}

/// The name of a list of terms. What a judge has learnt is a table for some judges.
pub fn set_name(set: TermSet, parts: &Parts) -> &'static str {
    match set {
        TermSet::Table if parts.learnt.is_some() => "learnt",
        TermSet::Genre => "genre",
        TermSet::Content => "content",
        TermSet::Url => "url",
        TermSet::Exclude => "exclude",
        TermSet::Table => "table",
        TermSet::Query => "query",
    }
}

/// The name of a user's mark.
pub fn mark_name(mark: Verdict) -> &'static str {
    match mark {
        Verdict::Relevant => "relevant",
        Verdict::Irrelevant => "irrelevant",
    }
}

/// Text on one line, without characters that control a terminal or reorder the text beside them.
pub fn harmless(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let start = line.len();
        line.extend(word.chars().filter(|c| !is_unseen(*c)));
        if line.len() > start && start > 0 {
            line.insert(start, ' ');
        }
    }
    line
}

/// A part of a line, without anything that could do harm in a terminal. Spaces stay where they are.
pub fn harmless_part(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_unseen(*c));
    shown
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// Direction marks and other invisible characters, which can make different texts look alike.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_people() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0, 1, 2_000].map(|n| counted(n, "page")),
            ["0 pages", "1 page", "2,000 pages"]
        );
        let sizes = [0, 999, 999_950, 1_234, 34_567_000, 5_000_000_000_000];
        assert_eq!(
            sizes.map(bytes),
            ["0 B", "999 B", "1.00 MB", "1.23 KB", "34.6 MB", "5.00 TB"]
        );
        let lengths = [1_500, 59_000, 61_000, 7_980_000, 90_000_000].map(Duration::from_millis);
        assert_eq!(
            lengths.map(time),
            ["1.5 s", "59 s", "1 min 1 s", "2 h 13 min", "1 d 1 h"]
        );
    }

    #[test]
    fn a_title_cannot_control_the_terminal() {
        assert_eq!(
            harmless("  Tea\u{1b}[31m\r\n for\ttwo \u{202e}owt\u{7}"),
            "Tea [31m for two owt"
        );
        assert_eq!(harmless("\u{200b} \n"), "");
        assert_eq!(harmless("緑茶 の 本"), "緑茶 の 本");
    }
}
