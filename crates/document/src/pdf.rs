//! Text and links of PDF files.
//!
//! A file is searched for its objects (`file`), its pages are visited in order, and the content of each is run
//! (`content`) with its fonts (`font`). The shown pieces are put together to paragraphs (`flow`).
//!
//! Encrypted files are recognised and not read.

mod cmap;
mod content;
mod encoding;
mod file;
mod filter;
mod flow;
mod font;
mod object;

use std::collections::HashSet;
use std::rc::Rc;

use crate::budget::Budget;
use crate::{Document, Limits, facts};
use content::{Area, Shower};
use file::File;
pub(crate) use filter::deflate;
use object::{Dict, Object};

/// Links on one page beyond this are ignored.
const MAX_AREAS: usize = 400;

/// Longer addresses are ignored, in bytes.
const MAX_URI: usize = 4096;

/// Reads a PDF file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Document {
    let budget = Budget::new(limits);
    let file = File::new(bytes, &budget);
    let trailers = file.trailers();
    if trailers
        .iter()
        .any(|trailer| *trailer.get(b"Encrypt") != Object::Null)
    {
        return Document {
            is_encrypted: true,
            ..Document::default()
        };
    }
    let catalog = catalog(&file, &trailers);
    let mut document = describe(&file, &trailers, &catalog);
    let pages = pages(&file, &catalog, limits.pages);
    let mut shower = Shower::new(&file, limits.text_bytes);
    let mut links = 0;
    for page in &pages {
        if shower.is_full() {
            budget.fall_short();
            break;
        }
        let object = file.resolve(&page.object);
        let Some(dict) = object.dict() else { continue };
        shower.flow.next_page();
        shower.areas = areas(&file, dict, limits.links.saturating_sub(links));
        links += shower.areas.len();
        let content = page_content(&file, dict);
        shower.show_page(&content, &page.resources);
        let bare = shower.areas.drain(..).filter(|area| !area.has_text);
        document.bare_links.extend(bare.map(|area| area.uri.to_string()));
    }
    let (blocks, largest) = shower.flow.finish();
    document.title = document
        .title
        .or_else(|| largest.as_deref().and_then(facts::fact));
    document.blocks = blocks;
    document.is_truncated = budget.fell_short();
    document
}

/// The catalog: the object that everything else hangs on.
fn catalog(file: &File<'_>, trailers: &[Dict]) -> Dict {
    for trailer in trailers {
        if let Object::Dict(catalog) = file.get(trailer, b"Root").into_owned()
            && *catalog.get(b"Pages") != Object::Null
        {
            return catalog;
        }
    }
    let found = file.objects_of_type(b"Catalog", 1);
    match found.first().map(|number| file.object(*number)) {
        Some(Object::Dict(catalog)) => catalog,
        _ => Dict::default(),
    }
}

/// What the file says about itself.
fn describe(file: &File<'_>, trailers: &[Dict], catalog: &Dict) -> Document {
    let mut document = Document::default();
    let text = |dict: &Dict, key: &[u8]| file.get(dict, key).string().map(encoding::text_string);
    for trailer in trailers {
        let info = file.get_dict(trailer, b"Info");
        let known = &mut document;
        known.title = known
            .title
            .take()
            .or_else(|| facts::title(&text(&info, b"Title")?));
        known.author = known
            .author
            .take()
            .or_else(|| facts::fact(&text(&info, b"Author")?));
        known.date = known
            .date
            .take()
            .or_else(|| facts::date(&text(&info, b"CreationDate")?));
    }
    document.language = text(catalog, b"Lang").and_then(|language| facts::fact(&language));
    if document.title.is_none()
        && let Some((_, metadata)) = file.stream(catalog.get(b"Metadata"))
    {
        document.title = metadata_title(&metadata);
    }
    document
}

/// The title in XMP metadata: the first entry of `dc:title`.
fn metadata_title(metadata: &[u8]) -> Option<String> {
    let metadata = String::from_utf8_lossy(metadata);
    let (_, rest) = metadata.split_once("<dc:title")?;
    let (inside, _) = rest.split_once("</dc:title>")?;
    let (_, entry) = inside.split_once("<rdf:li")?;
    let (_, entry) = entry.split_once('>')?;
    let (entry, _) = entry.split_once("</rdf:li>")?;
    facts::title(&quick_xml::escape::unescape(entry).ok()?)
}

/// A page and the resources it uses, its own or inherited.
struct Page {
    object: Object,
    resources: Rc<Dict>,
}

/// The pages in order.
fn pages(file: &File<'_>, catalog: &Dict, most: usize) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(catalog.get(b"Pages").clone(), Rc::new(Dict::default()))];
    while let Some((object, inherited)) = waiting.pop() {
        if pages.len() >= most || file.budget.is_spent() {
            file.budget.fall_short();
            break;
        }
        if let Object::Ref(number) = object
            && !seen.insert(number)
        {
            continue;
        }
        let Object::Dict(node) = file.resolve(&object).into_owned() else {
            continue;
        };
        let resources = file.get_dict(&node, b"Resources");
        let resources = if resources.is_empty() {
            inherited
        } else {
            Rc::new(resources)
        };
        match file.get(&node, b"Kids").as_ref() {
            Object::Array(kids) => {
                // Only references: a tree written in place is not worth its depth.
                let kids = kids.iter().rev().filter(|kid| matches!(kid, Object::Ref(_)));
                waiting.extend(kids.map(|kid| (kid.clone(), Rc::clone(&resources))));
            }
            _ => pages.push(Page { object, resources }),
        }
    }
    if pages.is_empty() {
        // The tree is damaged or cut off.
        for number in file.objects_of_type(b"Page", most) {
            if let Object::Dict(dict) = file.object(number) {
                pages.push(Page {
                    object: Object::Ref(number),
                    resources: Rc::new(file.get_dict(&dict, b"Resources")),
                });
            }
        }
    }
    pages
}

/// The content of a page. It may be in several parts, which are one program.
fn page_content(file: &File<'_>, page: &Dict) -> Vec<u8> {
    let contents = page.get(b"Contents");
    if let Some((_, content)) = file.stream(contents) {
        return content;
    }
    let mut content = Vec::new();
    for part in file.resolve(contents).array().unwrap_or_default() {
        if content.len() > file.budget.stream_room() {
            file.budget.fall_short();
            break;
        }
        if let Some((_, part)) = file.stream(part) {
            content.extend(part);
            content.push(b'\n');
        }
    }
    content
}

/// The links of a page.
fn areas(file: &File<'_>, page: &Dict, most: usize) -> Vec<Area> {
    let mut areas = Vec::new();
    let list = file.get(page, b"Annots");
    for annotation in list.array().unwrap_or_default().iter().take(4 * MAX_AREAS) {
        if areas.len() >= most.min(MAX_AREAS) || file.budget.is_spent() {
            file.budget.fall_short();
            break;
        }
        let annotation = file.resolve(annotation);
        let Some(annotation) = annotation.dict() else {
            continue;
        };
        let action = file.get_dict(annotation, b"A");
        let uri = file.get(&action, b"URI");
        let (Some(uri), true) = (uri.string(), file.get(annotation, b"Subtype").is_name(b"Link")) else {
            continue;
        };
        let edges: Vec<f64> = match file.get(annotation, b"Rect").array() {
            Some(edges) => edges.iter().map(|edge| edge.number().unwrap_or(0.0)).collect(),
            None => Vec::new(),
        };
        let edges = match edges.as_slice() {
            [a, b, c, d] => [a.min(*c), b.min(*d), a.max(*c), b.max(*d)],
            _ => [0.0; 4],
        };
        let uri = encoding::text_string(uri);
        if !uri.is_empty() && uri.len() <= MAX_URI {
            areas.push(Area {
                uri: uri.trim().into(),
                edges,
                has_text: false,
            });
        }
    }
    areas
}
