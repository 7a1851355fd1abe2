//! Checks raw settings: returns checked ones, or everything that is wrong.
//!
//! There are three steps: gather texts from the topic and the command line, read each text by its option's kind, then check
//! the settings against each other. Each step reports faults and goes on; only a run without faults gives [`Settings`].

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use scenthound_judge::{JudgeKind, compared_words};
use scenthound_strategy::StrategyKind;
use scenthound_types::{AgentId, CanonicalUrl};

use crate::fault::{Faults, Location, Spot, Wrong, harmless, quoted};
use crate::kind::{ReadContext, Value, read_url};
use crate::nearest::nearest;
use crate::option::{OptionSpec, Shape};
use crate::settings::{Checked, Settings, options};
use crate::spec::{Spec, default_of_judge, is_used};
use crate::topic_file::TopicFile;
use crate::units::spell_time;

/// The section of the seeds, and the option that names a file of them.
const SEEDS: &str = "seeds";
/// The option for seeds given one by one.
const SEED_URLS: &str = "seed-urls";
/// The option for example pages.
const EXAMPLES: &str = "examples";

/// Settings that only the term judge has.
const ONLY_OF_TERMS: &[&str] = &[
    "url-terms",
    "genre-weight",
    "content-weight",
    "genre-content-weight",
    "url-weight",
    "joint",
    "combine",
    "idf",
];

/// One option of the command line, as written. A list is given as several options of one name; seed URLs are `seed-urls`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The long name, without dashes.
    pub name: String,
    /// The value; `true` for a switch.
    pub value: String,
}

impl Given {
    /// An option and its value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Given {
        Given {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// What checking needs from its surroundings.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The current directory, where relative paths on the command line start. It must be absolute: the settings written to
    /// a crawl folder could not name their files otherwise.
    pub folder: &'a Path,
    /// Reads a file; `-` is standard input.
    pub read: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
}

/// Checks a topic (the name of a file ending in `.toml`, or words) and the options of the command line, which win.
pub fn check(topic: &str, given: &[Given], surroundings: &Surroundings<'_>) -> Result<Settings, Faults> {
    check_all(topic, given, surroundings, true)
}

/// The same for a topic without a crawl, which needs no seeds.
pub fn check_topic(
    topic: &str,
    given: &[Given],
    surroundings: &Surroundings<'_>,
) -> Result<Settings, Faults> {
    check_all(topic, given, surroundings, false)
}

fn check_all(
    topic: &str,
    given: &[Given],
    surroundings: &Surroundings<'_>,
    needs_seeds: bool,
) -> Result<Settings, Faults> {
    let mut check = Check {
        needs_seeds,
        surroundings,
        topic_file: None,
        texts: BTreeMap::new(),
        specs: BTreeMap::new(),
        ignored: Vec::new(),
        checked: Checked::new(),
        faults: Faults::default(),
        is_incomplete: false,
    };
    check.gather_topic(topic);
    let given = check.without_loose_words(topic, given);
    check.gather_given(&given);
    check.choose_judge();
    for option in options().filter(|option| option.section != SEEDS) {
        check.read_option(option);
    }
    check.reset_unused();
    check.gather_seeds();
    check.look_at_terms();
    check.look_at_stop_words();
    check.look_at_delays();
    check.look_at_revision();
    check.name_topic(topic);
    let warnings = check.warnings();
    check
        .faults
        .sort(check.topic_file.as_ref().map(|file| file.path.as_path()));
    match Settings::from_checked(&mut check.checked, warnings) {
        Some(settings) if check.faults.count() == 0 => Ok(settings),
        _ => Err(check.faults),
    }
}

/// Where a text came from.
#[derive(Clone)]
enum Origin {
    File(Range<usize>),
    CommandLine,
    Words,
}

#[derive(Clone)]
struct Text {
    text: String,
    origin: Origin,
}

struct Check<'a> {
    /// Whether settings without seeds are a fault.
    needs_seeds: bool,
    surroundings: &'a Surroundings<'a>,
    topic_file: Option<TopicFile>,
    /// For each option, the topic's texts, then the command line's.
    texts: BTreeMap<&'static str, Vec<Text>>,
    /// Settings that were given with a strategy or judge, and how they were written there.
    specs: BTreeMap<String, String>,
    /// What was given and is not used.
    ignored: Vec<String>,
    checked: Checked,
    faults: Faults,
    /// Set if part of the input could not be read at all. Nothing is then reported as missing.
    is_incomplete: bool,
}

impl Check<'_> {
    /// Gathers the texts of a topic given as a file or as words.
    fn gather_topic(&mut self, topic: &str) {
        if !is_file(topic) {
            return self.gather_words(topic);
        }
        let path = Path::new(topic);
        let text = (self.surroundings.read)(&self.surroundings.folder.join(path)).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
        });
        match text {
            Ok(text) => {
                let (file, entries) = TopicFile::read(path, &text, &mut self.faults);
                for entry in entries {
                    if entry.is_list && entry.option.shape != Shape::Many {
                        let wrong = Wrong::WrongShape {
                            found: "a list",
                            wanted: "a single value",
                        };
                        file.blame(entry.span, wrong, &mut self.faults);
                        continue;
                    }
                    let texts = self.texts.entry(entry.option.name).or_default();
                    for (text, span) in entry.values {
                        let pieces = if entry.is_list {
                            vec![text.as_str()]
                        } else {
                            pieces(entry.option, &text)
                        };
                        texts.extend(pieces.into_iter().map(|piece| Text {
                            text: piece.to_owned(),
                            origin: Origin::File(span.clone()),
                        }));
                    }
                }
                self.is_incomplete = file.is_broken();
                self.topic_file = Some(file);
            }
            Err(source) => {
                self.is_incomplete = true;
                let path = path.to_owned();
                self.faults
                    .add(|| Location::Settings, Wrong::Unreadable { path, source });
            }
        }
    }

    /// A topic without a name is named after its words, its query or its file.
    fn name_topic(&mut self, topic: &str) {
        let path = Path::new(topic);
        let name = match (self.checked.get("query").map(Vec::as_slice), path.file_stem()) {
            _ if phrase(topic).is_empty() => self.name_of_examples(),
            _ if !is_file(topic) => phrase(topic),
            (Some([Value::Text(query)]), _) => query.clone(),
            (_, Some(stem)) => stem.to_string_lossy().into_owned(),
            (_, None) => topic.to_owned(),
        };
        self.checked
            .entry("topic-name")
            .or_insert_with(|| vec![Value::Text(name)]);
    }

    /// The name of the first example's file, or its host.
    fn name_of_examples(&self) -> String {
        let first = self.checked.get(EXAMPLES).and_then(|examples| examples.first());
        let Some(Value::Text(first)) = first else {
            return String::new();
        };
        match CanonicalUrl::parse(first) {
            Ok(url) => url.host().to_owned(),
            Err(_) => {
                let stem = Path::new(first).file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
        }
    }

    /// With examples the judge is one that learns from them, unless another is named, which is a fault. Where none is named,
    /// settings that only the term judge has mean that judge.
    fn choose_judge(&mut self) {
        let is_named = self.texts.contains_key("custom-judge") || self.texts.contains_key("judge");
        let has_examples = self.texts.get(EXAMPLES).is_some_and(|texts| !texts.is_empty());
        if !is_named && !has_examples && ONLY_OF_TERMS.iter().any(|name| self.texts.contains_key(name)) {
            let terms = Text {
                text: JudgeKind::Terms.name().to_owned(),
                origin: Origin::Words,
            };
            self.texts.insert("judge", vec![terms]);
        }
        let Some(examples) = self.texts.get(EXAMPLES).filter(|texts| !texts.is_empty()) else {
            return;
        };
        let are_given = examples
            .iter()
            .any(|text| matches!(text.origin, Origin::CommandLine));
        let judge = self.texts.get("custom-judge").or_else(|| self.texts.get("judge"));
        match judge.and_then(|texts| texts.last()) {
            None => {
                let topic = Text {
                    text: JudgeKind::Topic.name().to_owned(),
                    origin: Origin::Words,
                };
                self.texts.insert("judge", vec![topic]);
            }
            Some(judge) if are_given && judge.text.trim() != JudgeKind::Topic.name() => {
                let judge = judge.text.trim().to_owned();
                self.faults.add(
                    || Location::Option(EXAMPLES.to_owned()),
                    Wrong::ExamplesForOther { judge },
                );
            }
            // Settings in a file for another judge than the chosen one are ignored with a warning.
            Some(_) => {}
        }
    }

    /// Takes the words and the whole phrase as content terms.
    fn gather_words(&mut self, topic: &str) {
        let phrase = phrase(topic);
        if phrase.contains("://") {
            self.is_incomplete = true;
            let given = quoted(&phrase);
            self.faults
                .add(|| Location::Settings, Wrong::AddressForTopic { given });
            return;
        }
        // Nobody looks for the name of a file that lies there: it was meant as a topic file, or its words were.
        let is_there =
            topic != "-" && (self.surroundings.read)(&self.surroundings.folder.join(topic)).is_ok();
        if is_there {
            self.is_incomplete = true;
            let given = harmless(topic);
            self.faults
                .add(|| Location::Settings, Wrong::FileForTopic { given });
            return;
        }
        let mut terms: Vec<&str> = Vec::new();
        let mut known = BTreeSet::new();
        for word in phrase.split(' ').chain([phrase.as_str()]) {
            if word.contains(char::is_alphanumeric) && known.insert(word) {
                terms.push(word);
            }
        }
        let terms = terms.into_iter().map(|term| Text {
            text: term.to_owned(),
            origin: Origin::Words,
        });
        self.texts.insert("content-terms", terms.collect());
    }

    /// The options as given, with the settings in `--strategy NAME:setting=value` and `--judge` split off.
    fn spread_specs(&mut self, given: &[Given]) -> Vec<Given> {
        let mut spread = Vec::with_capacity(given.len());
        for option in given {
            let is_spec = matches!(option.name.as_str(), "strategy" | "judge") && option.value.contains(':');
            if !is_spec {
                spread.push(option.clone());
                continue;
            }
            let spec = option.value.parse::<Spec>().and_then(|spec| {
                match option.name.as_str() {
                    "strategy" => spec.check_strategy()?,
                    _ => spec.check_judge()?,
                }
                Ok(spec)
            });
            match spec {
                Ok(spec) => {
                    // Under a name nobody knows, the settings mean nothing; the name alone is reported.
                    let is_known = StrategyKind::from_name(&spec.name).is_some()
                        || JudgeKind::from_name(&spec.name).is_some();
                    for setting in spec.settings.iter().filter(|_| is_known) {
                        let written = format!("{} {}:{}", option.name, spec.name, setting.name);
                        self.specs.insert(setting.name.clone(), written);
                    }
                    spread.push(Given::new(option.name.clone(), spec.name));
                    spread.extend(spec.settings.into_iter().filter(|_| is_known));
                }
                Err(wrong) => self
                    .faults
                    .add(|| Location::Option(option.name.clone()), Wrong::Spec(wrong)),
            }
        }
        spread
    }

    /// The options without seeds that cannot be URLs: words of the topic that nobody quoted.
    fn without_loose_words(&mut self, topic: &str, given: &[Given]) -> Vec<Given> {
        let is_loose = |option: &&Given| {
            option.name == SEED_URLS && !option.value.contains("://") && !option.value.contains('.')
        };
        let (loose, rest): (Vec<&Given>, Vec<&Given>) = given.iter().partition(is_loose);
        let topic = phrase(topic);
        if loose.is_empty() || topic.is_empty() || topic.contains("://") || is_file(&topic) {
            return given.to_vec();
        }
        let words: Vec<String> = loose.iter().map(|word| quoted(&word.value)).collect();
        let loose = loose.iter().map(|word| word.value.as_str());
        let wrong = Wrong::LooseWords {
            given: words.join(" and "),
            right: quoted(&phrase(
                &std::iter::once(topic.as_str())
                    .chain(loose)
                    .collect::<Vec<_>>()
                    .join(" "),
            )),
        };
        self.faults.add(|| Location::Option(SEED_URLS.to_owned()), wrong);
        rest.into_iter().cloned().collect()
    }

    fn gather_given(&mut self, given: &[Given]) {
        let mut texts: BTreeMap<&'static str, Vec<Text>> = BTreeMap::new();
        for Given { name, value } in &self.spread_specs(given) {
            let Some(option) = options().find(|option| option.name == name) else {
                let right = match nearest(name, options().map(|option| option.name)) {
                    Some(near) => format!("did you mean --{near}?"),
                    None => "see hound crawl --help".to_owned(),
                };
                self.faults
                    .add(|| Location::Option(name.clone()), Wrong::UnknownOption { right });
                continue;
            };
            let texts = texts.entry(option.name).or_default();
            if !texts.is_empty() && option.shape != Shape::Many {
                let written = self.specs.get(name).unwrap_or(name).clone();
                self.faults.add(|| Location::Option(written), Wrong::GivenTwice);
                continue;
            }
            texts.extend(pieces(option, value).into_iter().map(|piece| Text {
                text: piece.to_owned(),
                origin: Origin::CommandLine,
            }));
        }
        for option in options() {
            if let Some(given) = texts.remove(option.name) {
                let texts = self.texts.entry(option.name).or_default();
                if !option.adds_up() {
                    texts.clear();
                }
                texts.extend(given);
            }
        }
    }

    /// Gives settings of other strategies and judges than the chosen ones their defaults again: nothing would use them.
    fn reset_unused(&mut self) {
        let chosen = |name: &str| match self.checked.get(name).map(Vec::as_slice) {
            Some([Value::Text(name)]) => Some(name.clone()),
            _ => None,
        };
        let strategy = chosen("strategy").and_then(|name| StrategyKind::from_name(&name));
        let judge = chosen("judge").and_then(|name| JudgeKind::from_name(&name));
        // A name nobody knows is reported already.
        let (Some(strategy), Some(judge)) = (strategy, judge) else {
            return;
        };
        for option in options().filter(|option| matches!(option.section, "strategy" | "judge")) {
            if is_used(option, strategy, judge) || self.texts.remove(option.name).is_none() {
                continue;
            }
            self.checked.remove(option.name);
            self.read_option(option);
            self.ignored.push(format!(
                "[{}] {} is ignored: it is not a setting of the strategy {strategy} or the judge {judge}",
                option.section, option.key
            ));
        }
    }

    /// Reads the texts of one option, or its default.
    fn read_option(&mut self, option: &'static OptionSpec) {
        let texts = self.texts.get(option.name).cloned().unwrap_or_default();
        let mut values = Vec::with_capacity(texts.len());
        for Text { text, origin } in &texts {
            match self.read_value(option, text, origin) {
                Ok(value) => values.push(value),
                Err(wrong) => self.blame(option, origin, wrong),
            }
        }
        if let (true, Some(default)) = (texts.is_empty(), self.default_of(option)) {
            // A default that is not valid is a fault like any other.
            match self.read_value(option, default, &Origin::CommandLine) {
                Ok(value) => values.push(value),
                Err(wrong) => self.blame(option, &Origin::CommandLine, wrong),
            }
        }
        if option.name == EXAMPLES {
            // Resuming with the crawl's own settings names those in them again.
            let mut unique: Vec<Value> = Vec::with_capacity(values.len());
            for value in values {
                if !unique.contains(&value) {
                    unique.push(value);
                }
            }
            values = unique;
        }
        if !values.is_empty() {
            self.checked.insert(option.name, values);
        }
    }

    /// The value of an option that was not given. Similarity to a word table has another scale than similarity to terms, so
    /// the default threshold depends on the judge.
    fn default_of(&self, option: &OptionSpec) -> Option<&'static str> {
        let is = |name: &str, value: &str| {
            let texts = self.texts.get(name).and_then(|texts| texts.last());
            texts.is_some_and(|given| given.text == value)
        };
        match option.name {
            "threshold" if is("judge", "table") && is("table-space", "table") => Some("0.8"),
            "threshold" => {
                let kinds = JudgeKind::ALL.iter();
                let given = kinds.copied().find(|kind| is("judge", kind.name()));
                let kind = match self.texts.contains_key("judge") {
                    true => given,
                    false => Some(JudgeKind::default()),
                };
                kind.and_then(|kind| default_of_judge(kind, option.name))
                    .or(option.default)
            }
            _ => option.default,
        }
    }

    fn read_value(&self, option: &OptionSpec, text: &str, origin: &Origin) -> Result<Value, Wrong> {
        let folder = self.folder(self.surroundings.folder, origin);
        let with = ReadContext { folder: &folder };
        let value = option.kind.read(text, with)?;
        match &value {
            // Seed files are read once, later: standard input would be empty the second time.
            Value::Path(path) if option.name != SEEDS => match (self.surroundings.read)(path) {
                Ok(_) => Ok(value),
                Err(source) => Err(Wrong::Unreadable {
                    path: self.as_named(text, origin),
                    source,
                }),
            },
            _ => Ok(value),
        }
    }

    /// Reads the seed options, adds the URLs in seed files to those given, and drops duplicates.
    fn gather_seeds(&mut self) {
        let faults_before = self.faults.count();
        let mut urls = Vec::new();
        for option in options().filter(|option| option.section == SEEDS) {
            if option.name == SEEDS {
                for Text { text, origin } in self.texts.remove(SEEDS).unwrap_or_default() {
                    match self.read_file(option, &text, &origin) {
                        Ok(list) => self.read_seed_list(&self.as_named(&text, &origin), &list, &mut urls),
                        Err(wrong) => self.blame(option, &origin, wrong),
                    }
                }
            } else {
                self.read_option(option);
                if option.name == SEED_URLS {
                    urls.extend(self.checked.remove(option.name).unwrap_or_default());
                }
            }
        }
        let mut known = BTreeSet::new();
        urls.retain(|url| matches!(url, Value::Url(url) if known.insert(url.clone())));
        let has_engines = self.checked.contains_key("engine");
        // A crawl from examples can start from those that are URLs. Whoever reads the examples finds out.
        let has_examples = self.checked.contains_key(EXAMPLES);
        if self.needs_seeds
            && urls.is_empty()
            && !has_engines
            && !has_examples
            && self.faults.count() == faults_before
            && !self.is_incomplete
        {
            self.faults.add(|| Location::Settings, Wrong::NoSeeds);
        }
        self.checked.insert(SEED_URLS, urls);
    }

    fn read_file(&self, option: &OptionSpec, text: &str, origin: &Origin) -> Result<String, Wrong> {
        let Value::Path(path) = self.read_value(option, text, origin)? else {
            return Ok(String::new());
        };
        match (self.surroundings.read)(&path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(source) => Err(Wrong::Unreadable {
                path: self.as_named(text, origin),
                source,
            }),
        }
    }

    /// Reads one URL per line; empty lines and lines that begin with # are skipped.
    fn read_seed_list(&mut self, path: &Path, text: &str, urls: &mut Vec<Value>) {
        for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
            let url = line.trim();
            if url.is_empty() || url.starts_with('#') {
                continue;
            }
            match read_url(url) {
                Ok(url) => urls.push(Value::Url(url)),
                Err(wrong) => {
                    let start = line.len() - line.trim_start().len();
                    let place = || Location::File {
                        path: path.to_owned(),
                        spot: Spot::in_line(index + 1, line, start..start + url.len()),
                    };
                    self.faults.add(place, wrong);
                }
            }
        }
    }

    /// Checks the weights of the lists that have terms: the term judge divides by their sum.
    fn look_at_terms(&mut self) {
        let has_custom_judge = self.checked.contains_key("custom-judge");
        if self.is_incomplete || has_custom_judge {
            return;
        }
        let is_topic = self.is_judge("topic");
        let lists = ["genre-terms", "genre", "content-terms", "query", EXAMPLES];
        if is_topic
            && self.needs_seeds
            && lists
                .iter()
                .all(|name| self.texts.get(name).is_none_or(Vec::is_empty))
        {
            self.faults.add(|| Location::Settings, Wrong::NoTerms);
        }
        if !self.is_judge("terms") {
            return;
        }
        let is_given = |name: &str| self.texts.get(name).is_some_and(|texts| !texts.is_empty());
        let weight = |name: &str| match self.checked.get(name).and_then(|values| values.first()) {
            Some(Value::Number(weight)) => *weight,
            // Not valid, and already reported.
            _ => 1.0,
        };
        let (genre, content, url) = (
            is_given("genre-terms") || is_given("genre"),
            is_given("content-terms"),
            is_given("url-terms"),
        );
        if !genre && !content && !url {
            self.faults.add(|| Location::Settings, Wrong::NoTerms);
            return;
        }
        let sum = |parts: &[(bool, f64)]| -> f64 {
            parts
                .iter()
                .filter(|(is_given, _)| *is_given)
                .map(|(_, weight)| weight)
                .sum()
        };
        let page = sum(&[
            (genre, weight("genre-weight")),
            (content, weight("content-weight")),
        ]);
        let all = sum(&[
            (genre || content, weight("genre-content-weight")),
            (url, weight("url-weight")),
        ]);
        if all == 0.0 || ((genre || content) && page == 0.0) {
            self.faults.add(|| Location::Settings, Wrong::NoWeight);
        }
    }

    /// Stop words say nothing to the judge `topic`. A list of nothing else would be no list, and nobody would notice; of a list
    /// that has other terms too, the ones that do not count are named.
    fn look_at_stop_words(&mut self) {
        if self.is_incomplete || !self.is_judge("topic") {
            return;
        }
        let language = match self.checked.get("language").map(Vec::as_slice) {
            Some([Value::Language(language)]) => Some(*language),
            _ => None,
        };
        for name in ["genre-terms", "content-terms"] {
            let terms = self.texts.get(name).cloned().unwrap_or_default();
            // A query of stop words means them, and its words are such a list too.
            if terms.iter().all(|term| matches!(term.origin, Origin::Words)) {
                continue;
            }
            let silent: Vec<&Text> = terms
                .iter()
                .filter(|term| compared_words(&term.text, language).is_empty())
                .collect();
            let (Some(first), Some(option)) = (silent.first(), options().find(|option| option.name == name))
            else {
                continue;
            };
            let given: Vec<String> = silent.iter().map(|term| format!("{:?}", term.text)).collect();
            // Crawls that were begun before this was checked go on.
            let is_begun = self
                .topic_file
                .as_ref()
                .is_some_and(|file| file.path.ends_with("crawl.toml"));
            if silent.len() == terms.len() && !is_begun {
                let wrong = Wrong::OnlyStopWords {
                    given: given.join(", "),
                };
                self.blame(option, &first.origin, wrong);
            } else {
                self.ignored.push(format!(
                    "terms of stop words alone do not count: {}",
                    given.join(", ")
                ));
            }
        }
    }

    fn is_judge(&self, name: &str) -> bool {
        self.checked.get("judge") == Some(&vec![Value::Text(name.to_owned())])
    }

    /// No delay may exceed max-delay. If that was not given, it is raised to fit.
    fn look_at_delays(&mut self) {
        let (delay, ip_delay) = (self.time("delay"), self.time("ip-delay"));
        let most = self.time("max-delay");
        let given = self
            .texts
            .get("max-delay")
            .and_then(|texts| texts.first())
            .cloned();
        let Some(Text { origin, .. }) = given else {
            let longest = delay.max(ip_delay).max(most);
            self.checked
                .extend(longest.map(|time| ("max-delay", vec![Value::Time(time)])));
            return;
        };
        for (name, time) in [("delay", delay), ("ip-delay", ip_delay)] {
            if let (Some(time), Some(most), Some(option)) =
                (time, most, options().find(|option| option.name == "max-delay"))
                && time > most
            {
                let wrong = Wrong::DelayOverMost {
                    longer: format!("{name} = {}", spell_time(time)),
                    most: spell_time(most),
                };
                self.blame(option, &origin, wrong);
            }
        }
    }

    /// Only an odd power keeps the sign, so that relevant pages gain and the others lose.
    fn look_at_revision(&mut self) {
        let name = "revision-power";
        let power = match self.checked.get(name).map(Vec::as_slice) {
            Some([Value::Count(power)]) => *power,
            _ => return,
        };
        let given = self.texts.get(name).and_then(|texts| texts.first()).cloned();
        let option = options().find(|option| option.name == name);
        if let (0, Some(Text { origin, .. }), Some(option)) = (power % 2, given, option) {
            self.blame(option, &origin, Wrong::EvenPower { given: power });
        }
    }

    fn warnings(&self) -> Vec<String> {
        let has = |name: &str| self.checked.get(name).is_some_and(|values| !values.is_empty());
        let has_password = matches!(
            self.checked.get("proxy").map(Vec::as_slice),
            Some([Value::Proxy(url)]) if url.password().is_some()
        );
        let excludes = self.checked.get("exclude-terms").map_or(0, Vec::len) as u64;
        let needed = match self.checked.get("min-exclude").map(Vec::as_slice) {
            Some([Value::Count(count)]) => *count,
            _ => 0,
        };
        let agents = self.checked.get("agents");
        let ignores_robots = self.checked.get("ignore-robots") == Some(&vec![Value::Switch(true)]);
        [
            (
                !has("contact") && !has("user-agent"),
                "no contact is given, so site owners cannot reach you; give --contact with a page or an e-mail address",
            ),
            (
                self.time("delay") == Some(Duration::ZERO) && !has("allow-net"),
                "delay is 0: hosts get requests without a pause",
            ),
            (
                has("requisites") && agents == Some(&vec![Value::Count(AgentId::MOST.into())]),
                "requisites are not fetched: a crawl with sixteen agents has no queue left for them",
            ),
            (ignores_robots, "ignore-robots is set: pages that robots.txt disallows are fetched too"),
            (has_password, "the password of the proxy is not kept; to resume the crawl, give --proxy with it again"),
            (
                excludes > 0 && excludes < needed,
                "there are fewer exclude terms than min-exclude, so no page is ever excluded",
            ),
            (
                !["max-pages", "max-time", "max-bytes", "goal", "least-yield", "enough"].iter().any(|name| has(name)),
                "there is no max-pages, max-time or max-bytes: the crawl goes on until no link is left",
            ),
        ]
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, warning)| warning.to_owned())
        .chain(self.ignored.iter().cloned())
        .collect()
    }

    fn time(&self, name: &str) -> Option<Duration> {
        match self.checked.get(name).map(Vec::as_slice) {
            Some([Value::Time(time)]) => Some(*time),
            _ => None,
        }
    }

    fn blame(&mut self, option: &OptionSpec, origin: &Origin, wrong: Wrong) {
        match (origin, &self.topic_file) {
            (Origin::File(span), Some(file)) => file.blame(span.clone(), wrong, &mut self.faults),
            (Origin::Words, _) => self.faults.add(|| Location::Settings, wrong),
            _ => {
                let written = self.specs.get(option.name).cloned();
                let written = written.unwrap_or_else(|| option.name.to_owned());
                self.faults.add(|| Location::Option(written), wrong);
            }
        }
    }

    /// The folder where paths of this origin start, relative to `root`.
    fn folder(&self, root: &Path, origin: &Origin) -> PathBuf {
        match (origin, &self.topic_file) {
            (Origin::File(_), Some(file)) => root.join(file.path.parent().unwrap_or(Path::new(""))),
            _ => root.to_owned(),
        }
    }

    /// A path as the user would write it from the current directory.
    fn as_named(&self, text: &str, origin: &Origin) -> PathBuf {
        self.folder(Path::new(""), origin).join(text.trim())
    }
}

/// Whether a topic is the name of a file rather than words.
fn is_file(topic: &str) -> bool {
    topic.ends_with(".toml")
}

/// The words separated by single spaces.
fn phrase(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of a list written as one text.
fn pieces<'t>(option: &OptionSpec, text: &'t str) -> Vec<&'t str> {
    if option.shape != Shape::Many || !option.kind.splits_at_commas() {
        return vec![text];
    }
    let pieces: Vec<&str> = text.split(',').filter(|piece| !piece.trim().is_empty()).collect();
    // An empty text is a fault, not an empty list.
    if pieces.is_empty() { vec![text] } else { pieces }
}
