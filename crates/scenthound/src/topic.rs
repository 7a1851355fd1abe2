//! What a crawl looks for.

use std::path::{Path, PathBuf};

use scenthound_config::Given;

/// What a crawl looks for: words, a topic file, or terms given one by one.
///
/// ```
/// use scenthound::Topic;
///
/// let words = Topic::words("green tea");
/// let terms = Topic::named("brewing guides")
///     .genre_terms(["how to", "step", "you will need"])
///     .content_terms(["tea", "leaves", "kettle"])
///     .exclude_terms(["tea party"]);
/// # let _ = (words, terms);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Topic {
    source: Source,
    given: Vec<Given>,
}

#[derive(Clone, PartialEq, Debug)]
enum Source {
    Words(String),
    File(PathBuf),
}

impl Topic {
    /// A topic in a few words, as you would type them into a search engine.
    pub fn words(words: impl Into<String>) -> Topic {
        Topic {
            source: Source::Words(words.into()),
            given: Vec::new(),
        }
    }

    /// A topic file. It is read when the crawler is built; relative paths in it start from its own folder.
    pub fn file(path: impl AsRef<Path>) -> Topic {
        Topic {
            source: Source::File(path.as_ref().to_owned()),
            given: Vec::new(),
        }
    }

    /// A topic with this name and no terms yet.
    pub fn named(name: impl Into<String>) -> Topic {
        Topic {
            source: Source::Words(String::new()),
            given: vec![Given::new("topic-name", name)],
        }
    }

    /// The topic as you would type it into a search engine.
    #[must_use]
    pub fn query(self, query: impl Into<String>) -> Topic {
        self.with("query", query)
    }

    /// Words and phrases typical of the kind of page you want.
    #[must_use]
    pub fn genre_terms<T: Into<String>>(self, terms: impl IntoIterator<Item = T>) -> Topic {
        self.with_all("genre-terms", terms)
    }

    /// Words and phrases for what the page should be about.
    #[must_use]
    pub fn content_terms<T: Into<String>>(self, terms: impl IntoIterator<Item = T>) -> Topic {
        self.with_all("content-terms", terms)
    }

    /// Words expected in the URL.
    #[must_use]
    pub fn url_terms<T: Into<String>>(self, terms: impl IntoIterator<Item = T>) -> Topic {
        self.with_all("url-terms", terms)
    }

    /// Words of the wrong sense: a page that contains one is ignored, along with its links.
    #[must_use]
    pub fn exclude_terms<T: Into<String>>(self, terms: impl IntoIterator<Item = T>) -> Topic {
        self.with_all("exclude-terms", terms)
    }

    /// A kind of page by name, such as `guide` or `blog`; its usual words are added to the genre terms.
    #[must_use]
    pub fn genre(self, name: impl Into<String>) -> Topic {
        self.with("genre", name)
    }

    /// The language of the terms, as a two-letter code; its stop words are ignored.
    #[must_use]
    pub fn language(self, code: impl Into<String>) -> Topic {
        self.with("language", code)
    }

    fn with(mut self, option: &str, value: impl Into<String>) -> Topic {
        self.given.push(Given::new(option, value));
        self
    }

    fn with_all<T: Into<String>>(mut self, option: &str, values: impl IntoIterator<Item = T>) -> Topic {
        let values = values.into_iter();
        self.given.extend(values.map(|value| Given::new(option, value)));
        self
    }

    /// The topic in the form that settings are checked in: the words or the file name, and the options.
    pub(crate) fn as_given(&self) -> (String, &[Given]) {
        let words = match &self.source {
            Source::Words(words) => words.clone(),
            Source::File(path) => path.to_string_lossy().into_owned(),
        };
        (words, &self.given)
    }
}
