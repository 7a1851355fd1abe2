//! What a crawl has done so far, over all its runs.

use std::collections::BTreeMap;
use std::time::Duration;

/// Counts of a crawl, over all its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Page attempts settled: what the page budget counts. Excludes robots.txt, sitemaps, redirects, and URLs
    /// settled without a request.
    pub pages: u64,
    /// Pages read.
    pub bodies: u64,
    /// Pages judged relevant.
    pub relevant: u64,
    /// Sum of the pages' relevance.
    pub relevance: f64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Requests for robots.txt, sitemaps and requisites, and redirects followed.
    pub other_requests: u64,
    /// Requests for requisites of pages, without redirects.
    pub requisites: u64,
    /// Page attempts by outcome code, and failed attempts at robots.txt and sitemaps.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Links not followed.
    pub links_skipped: u64,
    /// Pages ignored, together with their links, because they use the topic's words in another sense.
    pub excluded: u64,
    /// Running time of earlier runs and of this one up to the last commit.
    pub running: Duration,
    /// Relevant pages found after every `stride` pages; see [`Tally::curve`].
    curve: Vec<u32>,
    /// Pages per point of the curve.
    stride: u64,
}

/// When the harvest curve reaches this many points, every second one is dropped.
const CURVE_POINTS: usize = 256;

impl Tally {
    /// Counts a page attempt.
    pub fn count_page(&mut self, code: &'static str, relevance: Option<f64>, is_relevant: bool) {
        self.pages += 1;
        *self.outcomes.entry(code).or_default() += 1;
        if let Some(relevance) = relevance {
            self.bodies += 1;
            self.relevance += relevance;
        }
        self.relevant += u64::from(is_relevant);
        self.stride = self.stride.max(1);
        if self.pages.is_multiple_of(self.stride) {
            self.curve.push(u32::try_from(self.relevant).unwrap_or(u32::MAX));
            if self.curve.len() == CURVE_POINTS {
                // Keep every second point: the curve then covers the same pages in half the space.
                self.curve = self.curve.iter().skip(1).step_by(2).copied().collect();
                self.stride *= 2;
            }
        }
    }

    /// Relevant pages among the pages attempted.
    pub fn harvest_rate(&self) -> f64 {
        self.relevant as f64 / self.pages.max(1) as f64
    }

    /// Attempts that failed.
    pub fn errors(&self) -> u64 {
        self.outcomes
            .iter()
            .filter(|(code, _)| code.starts_with("failed"))
            .map(|(_, count)| count)
            .sum()
    }

    /// The harvest curve: (pages, relevant pages among them), evenly spaced, at most a few hundred points.
    pub fn curve(&self) -> Vec<(u64, u32)> {
        self.curve
            .iter()
            .enumerate()
            .map(|(i, found)| ((i as u64 + 1) * self.stride, *found))
            .collect()
    }

    /// These counts with the results of a new judgement in place of the old ones. Judging pages again spends nothing of a
    /// budget.
    pub fn judged_as(&self, rejudged: &Tally) -> Tally {
        Tally {
            relevant: rejudged.relevant,
            relevance: rejudged.relevance,
            excluded: rejudged.excluded,
            curve: rejudged.curve.clone(),
            stride: rejudged.stride,
            ..self.clone()
        }
    }

    /// The form in which it is committed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut lines = format!(
            "1\n{} {} {} {} {} {} {} {} {} {} {}\n",
            self.pages,
            self.bodies,
            self.relevant,
            self.relevance.to_bits(),
            self.bytes,
            self.other_requests,
            self.links_skipped,
            self.running.as_millis(),
            self.stride,
            self.excluded,
            self.requisites,
        );
        lines.extend(self.curve.iter().map(|point| format!("{point} ")));
        lines.push('\n');
        lines.extend(
            self.outcomes
                .iter()
                .map(|(code, count)| format!("{code} {count}\n")),
        );
        lines.into_bytes()
    }

    /// Reads what [`Tally::to_bytes`] wrote, or says what is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tally, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not text".to_owned())?;
        let mut lines = text.lines();
        match lines.next() {
            Some("1") => {}
            other => return Err(format!("version {other:?}, this program reads version 1")),
        }
        let number = |word: &str| {
            word.parse::<u64>()
                .map_err(|_| format!("{word:?} is not a number"))
        };
        let counts: Vec<u64> = lines
            .next()
            .unwrap_or("")
            .split(' ')
            .map(number)
            .collect::<Result<_, _>>()?;
        // Earlier releases counted only the first nine, or one more.
        let (counts, later) = counts.split_at(counts.len().min(9));
        let later = |at: usize| later.get(at).copied().unwrap_or_default();
        let &[
            pages,
            bodies,
            relevant,
            relevance,
            bytes,
            other_requests,
            links_skipped,
            running,
            stride,
        ] = counts
        else {
            return Err(format!("expected 9 counts, found {}", counts.len()));
        };
        let curve = lines
            .next()
            .unwrap_or("")
            .split_whitespace()
            .map(|word| Ok(u32::try_from(number(word)?).unwrap_or(u32::MAX)))
            .collect::<Result<_, String>>()?;
        let mut outcomes = BTreeMap::new();
        for line in lines {
            let (code, count) = line
                .split_once(' ')
                .ok_or_else(|| format!("{line:?} is not a count"))?;
            let code = scenthound_types::OutcomeCode::parse(code)
                .map(scenthound_types::OutcomeCode::as_str)
                .ok_or_else(|| format!("{code:?} is not an outcome"))?;
            outcomes.insert(code, number(count)?);
        }
        Ok(Tally {
            pages,
            bodies,
            relevant,
            relevance: f64::from_bits(relevance),
            bytes,
            other_requests,
            requisites: later(1),
            outcomes,
            links_skipped,
            excluded: later(0),
            running: Duration::from_millis(running),
            curve,
            stride,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_survives_a_round_trip_through_bytes() {
        let mut tally = Tally::default();
        for page in 0..1000 {
            let relevant = page % 3 == 0;
            tally.count_page(
                if page % 10 == 9 { "failed-status-4xx" } else { "ok" },
                Some(0.25),
                relevant,
            );
        }
        tally.running = Duration::from_millis(1234);
        tally.excluded = 7;
        tally.requisites = 5;
        assert_eq!(Tally::from_bytes(&tally.to_bytes()), Ok(tally.clone()));
        assert_eq!(tally.errors(), 100);
        let earlier = Tally::from_bytes(b"1\n3 2 1 0 9 1 4 5 1\n\n").unwrap();
        assert_eq!((earlier.pages, earlier.excluded), (3, 0));
        assert!(Tally::from_bytes(b"2\n").is_err());
        assert!(Tally::from_bytes(b"1\n1 2\n").is_err());
    }

    #[test]
    fn the_harvest_curve_stays_small_and_ends_near_the_present() {
        let mut tally = Tally::default();
        for page in 0..10_000_u64 {
            tally.count_page("ok", Some(1.0), page % 2 == 1);
        }
        let curve = tally.curve();
        assert!(curve.len() < CURVE_POINTS);
        assert!(curve.iter().all(|(pages, found)| u64::from(*found) == pages / 2));
        assert!(curve.last().unwrap().0 > 9_900);
    }
}
