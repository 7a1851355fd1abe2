//! Keeps sites without end from swallowing the crawl: calendars, session ids, mirrors, generated pages and hosts.
//!
//! Nothing here guesses what a page *is*. Each host, and each pattern of URLs within a host, gets an allowance that grows with
//! what it brings. What repeats other pages is left after a few, and so is a pattern whose pages lead to each other and are
//! alike. What is new but irrelevant is left after a hundred pages, or after a share of the crawl if that is more. Each page
//! that is new and relevant earns many more, so that a good site is hardly limited: only one that has stopped using new words, as
//! generated pages do, and one that has had more pages than any site is worth. Besides, parameters that turn out not to
//! change pages are learnt, and no page or domain may lead to more than a number of new hosts.
//!
//! What is refused keeps a record that names the rule, so that `hound explain` can tell.

mod history;
mod pattern;
mod vocabulary;

use std::collections::{BTreeSet, HashMap};

use scenthound_types::{
    CanonicalUrl, Keyring, Lease, LeaseKind, Outcome, Refusal, StateDelta, UrlKey, host_owner,
};

use self::history::{DomainHistory, HostHistory};
pub use self::pattern::repeats_itself;
use self::pattern::{parameters, pattern, without};
pub(crate) use self::vocabulary::sample;

/// The prefix of the notes that hold the histories.
const NOTES: &str = "traps/";
/// A host's history is saved when it has changed this often since, and when the crawl stops. A kill loses a few counts.
const CHANGES_PER_SAVE: u8 = 8;
/// How much more of a seed's host is read: the user asked for it.
const SEED_PATTERN_FACTOR: u64 = 5;
/// The share of the crawl, as a divisor, that a host may have however little it brings. In a crawl of many equal hosts none is
/// suspicious.
const HOST_SHARE: u64 = 10;
/// The same for a pattern.
const PATTERN_SHARE: u64 = 20;

/// How many URLs of a host may wait before it has brought anything relevant: twenty times the pages that it may get until then.
const WAITING: usize = 10_000;
/// How many more may wait for each relevant page.
const WAITING_PER_RELEVANT: usize = 200;
/// How many times as many may wait of a seed's host.
const WAITING_SEED_FACTOR: usize = 10;

/// The share of the crawl, as a divisor, that one host may have in any case.
const LARGEST_SHARE: u64 = 2;

/// How much may be read of what brings nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrapRules {
    /// Pages of a host that are new but not relevant, or a tenth of the crawl if that is more. Hosts of seeds are exempt.
    pub host_allowance: u32,
    /// Pages of one pattern of URLs that are new but not relevant, or a twentieth of the crawl if that is more; five times as
    /// many on the hosts of seeds.
    pub pattern_allowance: u32,
    /// Pages of a host, whatever it brings, or half of the crawl if that is more; five times as many of the hosts of seeds.
    pub host_limit: u32,
    /// New hosts that one page may lead to.
    pub new_hosts_per_page: u32,
    /// Hosts of one registrable domain, and four more for each relevant page found there.
    pub new_hosts_per_domain: u32,
}

impl Default for TrapRules {
    fn default() -> TrapRules {
        TrapRules {
            host_allowance: 500,
            pattern_allowance: 100,
            host_limit: 20_000,
            new_hosts_per_page: 256,
            new_hosts_per_domain: 64,
        }
    }
}

/// What a visit brought, as far as traps are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brought<'a> {
    /// The page's fingerprint; 0 for a page without words.
    pub fingerprint: u64,
    /// Whether it was judged relevant.
    pub is_relevant: bool,
    /// Whether its words repeat another page of the crawl…
    pub is_duplicate: bool,
    /// …and its links, too.
    pub is_copy: bool,
    /// Its sampled words.
    pub words: &'a [u16],
}

/// What hosts and domains have brought so far.
#[derive(Debug)]
pub(crate) struct Traps {
    rules: TrapRules,
    keyring: Keyring,
    hosts: HashMap<u64, HostHistory>,
    domains: HashMap<u64, DomainHistory>,
    changed_hosts: BTreeSet<u64>,
    changed_domains: BTreeSet<u64>,
}

impl Traps {
    pub fn new(rules: TrapRules, keyring: Keyring) -> Traps {
        Traps {
            rules,
            keyring,
            hosts: HashMap::new(),
            domains: HashMap::new(),
            changed_hosts: BTreeSet::new(),
            changed_domains: BTreeSet::new(),
        }
    }

    /// Whether a page may be requested, or which rule is against it, after so many pages of the crawl. What the user named always
    /// may.
    pub fn check(&self, lease: &Lease, is_seed_host: bool, pages: u64) -> Result<(), Refusal> {
        if lease.kind != LeaseKind::Page || lease.seed || lease.revisit {
            return Ok(());
        }
        let url = lease.target();
        let Some(host) = self.hosts.get(&self.host_key(url)) else {
            return Ok(());
        };
        let shape = pattern(url);
        let parent = lease.parent_url.as_ref();
        let is_chain =
            parent.is_some_and(|parent| parent.origin() == url.origin() && pattern(parent) == shape);
        let factor = if is_seed_host { SEED_PATTERN_FACTOR } else { 1 };
        let allowance = u64::from(self.rules.pattern_allowance).max(pages / PATTERN_SHARE) * factor;
        let allowance = (!shape.is_folder).then_some(allowance);
        if host.has_spent_pattern(self.keyring.hash(&shape.pattern), is_chain, allowance, factor) {
            return Err(Refusal::UrlPattern);
        }
        if let Some(stripped) = without(url, |name| host.is_inert(self.keyring.hash(name)))
            && host.has_read(self.keyring.hash(&stripped))
        {
            return Err(Refusal::InertParameter);
        }
        let allowance = u64::from(self.rules.host_allowance).max(pages / HOST_SHARE);
        let limit = u64::from(self.rules.host_limit).max(pages / LARGEST_SHARE) * factor;
        if host.has_spent((!is_seed_host).then_some(allowance), limit, factor) {
            return Err(Refusal::HostBudget);
        }
        Ok(())
    }

    /// Takes note of what a visit brought. `page` is none if no page was read.
    pub fn note_visit(&mut self, lease: &Lease, outcome: &Outcome, page: Option<Brought<'_>>) {
        if lease.kind != LeaseKind::Page || lease.revisit {
            return;
        }
        let url = &lease.url;
        let keyring = self.keyring;
        let key = self.host_key(url);
        let shape = pattern(url);
        let pattern = keyring.hash(&shape.pattern);
        match (outcome, page) {
            (Outcome::Body { .. }, Some(page)) => {
                let host = self.hosts.entry(key).or_default();
                let is_relevant_find = host.note_page(pattern, shape.is_folder, &page);
                let names = parameters(url);
                let families = names.iter().filter_map(|name| {
                    let family = without(url, |other| other == *name)?;
                    Some((keyring.hash(name), is_for_tracking(name), keyring.hash(&family)))
                });
                let families: Vec<(u64, bool, u64)> = families.collect();
                host.note_parameters(keyring.hash(url.path_and_query()), &families, page.fingerprint);
                if is_relevant_find {
                    let domain = keyring.hash(&host_owner(url.host()));
                    self.domains.entry(domain).or_default().relevant += 1;
                    self.changed_domains.insert(domain);
                }
            }
            // What is missing or leads back to the same pattern is as endless as pages are.
            (Outcome::Redirect { to, .. }, _) if to.origin() == url.origin() => {
                if shape.is_folder || self::pattern::pattern(to) != shape {
                    return;
                }
                self.hosts.entry(key).or_default().note_nothing(pattern);
            }
            (Outcome::Failed(scenthound_types::Failure::Status(404 | 410)), _) if !shape.is_folder => {
                self.hosts.entry(key).or_default().note_nothing(pattern);
            }
            _ => return,
        }
        self.changed_hosts.insert(key);
    }

    /// Whether a domain may get another host; counts it if so.
    pub fn admit_host(&mut self, url: &CanonicalUrl) -> bool {
        let domain = self.keyring.hash(&host_owner(url.host()));
        let history = self.domains.entry(domain).or_default();
        if !history.has_room(self.rules.new_hosts_per_domain) {
            return false;
        }
        history.hosts += 1;
        self.changed_domains.insert(domain);
        true
    }

    /// How many URLs of a host may wait. Whoever writes ten thousand links on each of a thousand pages must not fill the disk with
    /// URLs that will never be fetched.
    pub fn most_waiting(&self, url: &CanonicalUrl, is_seed_host: bool) -> usize {
        let relevant = self
            .hosts
            .get(&self.host_key(url))
            .map_or(0, HostHistory::relevant);
        let earned = (relevant as usize).saturating_mul(WAITING_PER_RELEVANT);
        let factor = if is_seed_host { WAITING_SEED_FACTOR } else { 1 };
        WAITING.saturating_mul(factor).saturating_add(earned)
    }

    /// How many new hosts one page may lead to.
    pub fn new_hosts_per_page(&self) -> u32 {
        self.rules.new_hosts_per_page
    }

    /// Adds what has changed to the notes of a commit; `all` when the crawl stops.
    pub fn save(&mut self, all: bool, notes: &mut StateDelta) {
        for domain in std::mem::take(&mut self.changed_domains) {
            if let Some(history) = self.domains.get(&domain) {
                notes.put(format!("{NOTES}domain/{domain:016x}"), history.to_bytes());
            }
        }
        let hosts = &mut self.hosts;
        self.changed_hosts.retain(|key| {
            let Some(history) = hosts.get_mut(key) else {
                return false;
            };
            if !all && history.unsaved() < CHANGES_PER_SAVE {
                return true;
            }
            notes.put(format!("{NOTES}host/{key:016x}"), history.save());
            false
        });
    }

    /// Restores what [`Traps::save`] put into the notes. What cannot be read is started anew: only allowances are lost.
    pub fn restore(&mut self, saved: Vec<(String, Vec<u8>)>) {
        for (name, bytes) in saved {
            let Some((kind, key)) = name
                .strip_prefix(NOTES)
                .and_then(|name| name.split_once('/'))
                .and_then(|(kind, key)| Some((kind, u64::from_str_radix(key, 16).ok()?)))
            else {
                continue;
            };
            match kind {
                "host" => {
                    if let Some(history) = HostHistory::from_bytes(&bytes) {
                        self.hosts.insert(key, history);
                    }
                }
                _ => {
                    if let Some(history) = DomainHistory::from_bytes(&bytes) {
                        self.domains.insert(key, history);
                    }
                }
            }
        }
    }

    /// The prefix of its notes.
    pub fn notes() -> &'static str {
        NOTES
    }

    fn host_key(&self, url: &CanonicalUrl) -> u64 {
        self.keyring.hash(url.origin())
    }
}

/// Parameters that name a visitor or a campaign. It takes less to believe that they do not change the page.
fn is_for_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_")
        || matches!(
            name.as_str(),
            "fbclid" | "gclid" | "msclkid" | "sid" | "sessionid" | "session_id" | "phpsessid" | "jsessionid"
        )
}

/// The new hosts that the links of one page lead to.
#[derive(Debug, Default)]
pub(crate) struct NewHosts {
    admitted: HashMap<UrlKey, bool>,
    count: u32,
}

impl NewHosts {
    /// Whether a link to a host that the frontier does not know may be followed. Links to the same host get the same answer.
    pub fn admit(&mut self, url: &CanonicalUrl, traps: &mut Traps) -> bool {
        let key = UrlKey(traps.host_key(url));
        if let Some(known) = self.admitted.get(&key) {
            return *known;
        }
        let is_admitted = self.count < traps.new_hosts_per_page() && traps.admit_host(url);
        self.count += u32::from(is_admitted);
        self.admitted.insert(key, is_admitted);
        is_admitted
    }
}
