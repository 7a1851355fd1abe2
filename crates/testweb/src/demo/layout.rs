//! The markup that all demo sites share: plain pages with a header, a navigation bar and a footer.

use std::fmt::Write as _;

/// A link as URL and text.
pub(super) type LinkTo = (String, String);

/// A whole page.
pub(super) fn page(site: &str, navigation: &[(&str, &str)], title: &str, head: &str, body: &str) -> String {
    let mut bar = String::new();
    for (to, label) in navigation {
        // Writing to a string cannot fail, here and below.
        let _ = write!(bar, "<li><a href=\"{to}\">{label}</a></li>");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>{title} | {site}</title>\n{head}</head>\n<body>\n\
         <header><p class=\"site\">{site}</p></header>\n<nav><ul>{bar}</ul></nav>\n<main>\n<h1>{title}</h1>\n{body}\
         </main>\n<footer><p>{site}. All people and places are invented.</p></footer>\n</body>\n</html>\n"
    )
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{text}</p>\n")
}

/// A second-level heading.
pub(super) fn heading(text: &str) -> String {
    format!("<h2>{text}</h2>\n")
}

/// A list of texts, numbered or not.
pub(super) fn list<T: AsRef<str>>(tag: &str, items: &[T]) -> String {
    let items: String = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", item.as_ref()))
        .collect();
    format!("<{tag}>\n{items}</{tag}>\n")
}

/// A list of links.
pub(super) fn links(links: &[LinkTo]) -> String {
    let items: Vec<String> = links.iter().map(|(to, label)| link(to, label)).collect();
    list("ul", &items)
}

/// A link.
pub(super) fn link(to: &str, label: &str) -> String {
    format!("<a href=\"{to}\">{label}</a>")
}

/// Replaces names in braces with their values.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = template.to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

/// Capitalises the first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A title as it appears in URLs.
pub(super) fn slug(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}
