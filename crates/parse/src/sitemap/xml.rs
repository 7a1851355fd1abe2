//! The four kinds of XML that are offered as sitemaps, read as one stream of events.
//!
//! All four are lists of entries with a few fields: `url`/`sitemap` with `loc` and `lastmod`, `item` with `link`,
//! `guid` and `pubDate`, `entry` with `link` and `updated`. The first element tells the kind, and its prefix tells
//! which elements are the format's own: names are compared without namespaces, since those are often wrong, but
//! `image:loc` in a `urlset` is an extension's. Inside an entry, an element that is no field is passed over until it
//! ends or the entry does, so that markup in a description does no harm.
//!
//! Start and end tags need not match: sites are written by templates that forget.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::SitemapKind;
use super::entries::Entries;

/// No URL or date is longer; what comes after is dropped.
const MAX_TEXT: usize = 8 * 1024;

/// Reads the text; gives what it is, and whether it was read to its end without a fault.
pub(super) fn read(text: &str, entries: &mut Entries<'_>) -> (SitemapKind, bool) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut walk = Walk::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => walk.start(&tag, entries),
            Ok(Event::Empty(tag)) => {
                walk.start(&tag, entries);
                walk.end(name_of(tag.name().as_ref()), entries);
            }
            Ok(Event::End(tag)) => walk.end(name_of(tag.name().as_ref()), entries),
            Ok(Event::Text(text)) => walk.text(text.as_ref()),
            Ok(Event::CData(text)) => walk.text(text.as_ref()),
            Ok(Event::GeneralRef(reference)) => walk.reference(&reference),
            Ok(Event::Eof) => {
                // A field that is still open may lack its end: better no URL than half of one.
                let whole = walk.entry.is_none();
                walk.field = None;
                walk.finish_entry(entries);
                return (walk.kind(), whole);
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Err(_) => {
                // The fault is a tag, so the text before it is whole.
                walk.finish_field();
                walk.finish_entry(entries);
                return (walk.kind(), false);
            }
        }
        if entries.overflowed || walk.root == Some(Root::Foreign) {
            return (walk.kind(), true);
        }
    }
}

/// An element's name in two parts; the prefix is empty if there is none.
type Name<'a> = (&'a str, &'a str);

fn name_of(name: &str) -> Name<'_> {
    name.split_once(':').unwrap_or(("", name))
}

#[derive(Clone, PartialEq)]
enum Root {
    /// A kind we read, with the prefix of its elements.
    Known(SitemapKind, String),
    /// Something else.
    Foreign,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Field {
    /// The address.
    Loc,
    /// What stands for the address when there is none.
    Guid,
    /// The date that counts.
    Changed,
    /// What stands for the date when there is none.
    Published,
}

/// An entry while it is read.
#[derive(Default)]
struct Entry {
    loc: Option<String>,
    guid: Option<String>,
    changed: Option<String>,
    published: Option<String>,
    /// Text outside of any field: where some generators put the address.
    stray: String,
}

#[derive(Default)]
struct Walk {
    root: Option<Root>,
    entry: Option<Entry>,
    /// The open field: its kind, its local name and its text so far.
    field: Option<(Field, String, String)>,
    /// The element being passed over, with its prefix.
    skipped: Option<(String, String)>,
}

impl Walk {
    fn kind(&self) -> SitemapKind {
        match self.root {
            Some(Root::Known(kind, _)) => kind,
            Some(Root::Foreign) | None => SitemapKind::Unknown,
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, entries: &mut Entries<'_>) {
        let full_name = tag.name();
        let (prefix, local) = name_of(full_name.as_ref());
        let Some(root) = &self.root else {
            self.root = Some(root_of(prefix, local));
            return;
        };
        let Root::Known(kind, own_prefix) = root else {
            return;
        };
        let (kind, own) = (*kind, own_prefix == prefix);
        // Whatever is inside a field adds its text and nothing else.
        if self.field.is_some() {
            return;
        }
        if own && local.eq_ignore_ascii_case(entry_name(kind)) {
            // The entry before was not ended.
            self.finish_entry(entries);
            self.entry = Some(Entry::default());
            self.skipped = None;
            return;
        }
        if self.skipped.is_some() {
            return;
        }
        let Some(entry) = &mut self.entry else {
            return;
        };
        match field_of(kind, local).filter(|_| own) {
            Some(Field::Loc) if kind == SitemapKind::Atom => {
                if entry.loc.is_none() {
                    entry.loc = atom_target(tag);
                }
            }
            Some(field) => {
                // A second address: a template forgot to end the entry.
                if field == Field::Loc && entry.loc.is_some() {
                    self.finish_entry(entries);
                    self.entry = Some(Entry::default());
                }
                self.field = Some((field, local.to_owned(), String::new()));
            }
            None => self.skipped = Some((prefix.to_owned(), local.to_owned())),
        }
    }

    fn end(&mut self, (prefix, local): Name<'_>, entries: &mut Entries<'_>) {
        let Some(Root::Known(kind, own_prefix)) = &self.root else {
            return;
        };
        let own = own_prefix == prefix;
        if let Some((_, name, _)) = &self.field {
            if own && local == name {
                self.finish_field();
            }
        } else if own && local.eq_ignore_ascii_case(entry_name(*kind)) {
            self.finish_entry(entries);
        } else if let Some((skipped_prefix, skipped_local)) = &self.skipped
            && skipped_prefix == prefix
            && skipped_local == local
        {
            self.skipped = None;
        }
    }

    fn text(&mut self, text: &str) {
        let into = match (&mut self.field, &mut self.entry, &self.skipped) {
            (Some((_, _, collected)), _, _) => collected,
            (None, Some(entry), None) => &mut entry.stray,
            _ => return,
        };
        let room = text.floor_char_boundary(MAX_TEXT.saturating_sub(into.len()));
        into.push_str(text.get(..room).unwrap_or_default());
    }

    fn reference(&mut self, reference: &BytesRef<'_>) {
        if let Ok(Some(character)) = reference.resolve_char_ref() {
            self.text(character.encode_utf8(&mut [0; 4]));
            return;
        }
        match reference.as_ref() {
            "amp" => self.text("&"),
            "lt" => self.text("<"),
            "gt" => self.text(">"),
            "quot" => self.text("\""),
            "apos" => self.text("'"),
            // Mostly an ampersand nobody escaped.
            name => {
                self.text("&");
                self.text(name);
                self.text(";");
            }
        }
    }

    fn finish_field(&mut self) {
        let (Some((field, _, text)), Some(entry)) = (self.field.take(), &mut self.entry) else {
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let place = match field {
            Field::Loc => &mut entry.loc,
            Field::Guid => &mut entry.guid,
            Field::Changed => &mut entry.changed,
            Field::Published => &mut entry.published,
        };
        place.get_or_insert(text);
    }

    fn finish_entry(&mut self, entries: &mut Entries<'_>) {
        self.skipped = None;
        self.field = None;
        let Some(entry) = self.entry.take() else {
            return;
        };
        let Entry {
            loc,
            guid,
            changed,
            published,
            stray,
        } = entry;
        let address = loc.or(guid).unwrap_or(stray);
        if self.kind() == SitemapKind::Index {
            entries.add_sitemap(&address);
        } else {
            entries.add_page(&address, changed.or(published).as_deref());
        }
    }
}

fn root_of(prefix: &str, local: &str) -> Root {
    let kind = match local.to_ascii_lowercase().as_str() {
        "urlset" => SitemapKind::Pages,
        "sitemapindex" => SitemapKind::Index,
        "feed" => SitemapKind::Atom,
        // In `rdf:RDF` the entries do not share the root's prefix.
        "rss" | "rdf" => return Root::Known(SitemapKind::Rss, String::new()),
        _ => return Root::Foreign,
    };
    Root::Known(kind, prefix.to_owned())
}

fn entry_name(kind: SitemapKind) -> &'static str {
    match kind {
        SitemapKind::Index => "sitemap",
        SitemapKind::Rss => "item",
        SitemapKind::Atom => "entry",
        SitemapKind::Pages | SitemapKind::Text | SitemapKind::Unknown => "url",
    }
}

fn field_of(kind: SitemapKind, local: &str) -> Option<Field> {
    let is = |name: &str| local.eq_ignore_ascii_case(name);
    match kind {
        SitemapKind::Rss if is("link") => Some(Field::Loc),
        SitemapKind::Rss if is("guid") => Some(Field::Guid),
        SitemapKind::Rss if is("pubdate") => Some(Field::Changed),
        SitemapKind::Atom if is("link") => Some(Field::Loc),
        SitemapKind::Atom if is("updated") => Some(Field::Changed),
        SitemapKind::Atom if is("published") => Some(Field::Published),
        SitemapKind::Pages | SitemapKind::Index if is("loc") => Some(Field::Loc),
        SitemapKind::Pages | SitemapKind::Index if is("lastmod") => Some(Field::Changed),
        _ => None,
    }
}

/// Where an Atom link leads, if it leads to the page itself.
fn atom_target(tag: &BytesStart<'_>) -> Option<String> {
    let (mut href, mut rel) = (None, None);
    // Without checks: looking for repeats takes quadratic time.
    for attribute in tag.attributes().with_checks(false).flatten() {
        match attribute.key.as_ref() {
            "href" => href = Some(attribute.value),
            "rel" => rel = Some(attribute.value),
            _ => {}
        }
    }
    if rel.is_some_and(|rel| rel.trim() != "alternate") {
        return None;
    }
    let href = href?;
    Some(quick_xml::escape::unescape(&href).map_or_else(|_| href.to_string(), |text| text.into_owned()))
}
