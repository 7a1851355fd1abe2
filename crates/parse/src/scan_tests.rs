//! Compares the scanner with html5gum, which implements every state of the standard's tokenizer.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use proptest::prelude::*;

use super::*;
use crate::entity::{ReferenceIn, decode_into, decode_value};

/// What is compared: start tags with decoded attributes, end tags, and joined decoded text.
#[derive(Clone, PartialEq, Debug)]
enum Seen {
    Text(String),
    Start(String, Vec<(String, String)>, bool),
    End(String),
}

fn push_text(seen: &mut Vec<Seen>, text: &str) {
    if text.is_empty() {
        return;
    }
    match seen.last_mut() {
        Some(Seen::Text(before)) => before.push_str(text),
        _ => seen.push(Seen::Text(text.to_owned())),
    }
}

/// The elements after which html5gum switches states by itself (including its `noframe`).
fn raw_kind(name: &str) -> Option<(Raw, bool)> {
    match name {
        "textarea" | "title" => Some((Raw::Plain, true)),
        "style" | "iframe" | "xmp" | "noembed" | "noframe" | "noscript" => Some((Raw::Plain, false)),
        "script" => Some((Raw::Script, false)),
        "plaintext" => Some((Raw::Endless, false)),
        _ => None,
    }
}

fn spelled(name: &str) -> String {
    name.to_ascii_lowercase().replace('\0', "\u{fffd}")
}

fn by_scanner(html: &str) -> Vec<Seen> {
    let mut scanner = Scanner::new(html, Keep::Everything);
    let mut seen = Vec::new();
    while let Some(event) = scanner.next() {
        match event {
            Event::Text(raw) => {
                let mut text = String::new();
                decode_into(raw, ReferenceIn::Text, &mut text);
                push_text(&mut seen, &text);
            }
            Event::Verbatim(raw) => push_text(&mut seen, raw),
            Event::End { name, .. } => seen.push(Seen::End(spelled(name))),
            Event::Start { name, closed, .. } => {
                let mut attributes: Vec<(String, String)> = Vec::new();
                for attribute in scanner.attributes() {
                    let name = spelled(attribute.name);
                    if !attributes.iter().any(|(known, _)| *known == name) {
                        attributes.push((name, decode_value(attribute.value).into_owned()));
                    }
                }
                let name = spelled(name);
                seen.push(Seen::Start(name.clone(), attributes, closed));
                if let Some((raw, decodes)) = raw_kind(&name) {
                    let content = scanner.raw_text(&name, raw);
                    let mut text = String::new();
                    match decodes {
                        true => decode_into(content, ReferenceIn::Text, &mut text),
                        false => text.push_str(content),
                    }
                    push_text(&mut seen, &text.replace('\0', "\u{fffd}"));
                    // The scanner reads the end tag along with the content, so it is examined again here.
                    let end = content.as_ptr() as usize - html.as_ptr() as usize + content.len();
                    if let Some(Event::End { .. }) = Scanner::new(&html[end..], Keep::Telling).next() {
                        seen.push(Seen::End(name));
                    }
                }
            }
        }
    }
    seen
}

fn by_html5gum(html: &str) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    let mut tag: Option<(String, Vec<(String, String)>)> = None;
    let string = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut attribute_open = false;
    let callback = |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => tag = Some((string(name), Vec::new())),
            CallbackEvent::AttributeName { name } => {
                if let Some((_, attributes)) = &mut tag {
                    let name = string(name);
                    attribute_open = !attributes.iter().any(|(known, _)| *known == name);
                    if attribute_open {
                        attributes.push((name, String::new()));
                    }
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, attributes)) = &mut tag
                    && attribute_open
                    && let Some(last) = attributes.last_mut()
                {
                    last.1 = string(value);
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some((name, attributes)) = tag.take() {
                    seen.push(Seen::Start(name, attributes, self_closing));
                }
            }
            CallbackEvent::EndTag { name } => seen.push(Seen::End(string(name))),
            CallbackEvent::String { value } => push_text(&mut seen, &string(value)),
            _ => {}
        }
        None
    };
    let mut emitter = CallbackEmitter::new(callback);
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    seen
}

/// Pieces of markup, complete and broken.
const PIECES: [&str; 96] = [
    "<",
    ">",
    "/",
    "</",
    "/>",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "\t",
    "\x0c",
    "-",
    "--",
    "---",
    "!",
    "?",
    "&",
    ";",
    "#",
    "\0",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<!",
    "<?",
    "<!doctype html>",
    "<!DOCTYPE a \"b>\" 'c'>",
    "<![CDATA[",
    "]]>",
    "<a",
    "<a>",
    "</a>",
    "<A HREF=",
    " href=",
    " href='x'",
    " href=\"y\"",
    " href=z",
    " href",
    "<b/>",
    "<br/ >",
    "<p//x=1>",
    "<script>",
    "</script>",
    "</script",
    "<script",
    "</SCRIPT >",
    "<script/>",
    "<style>",
    "</style>",
    "</styl>",
    "<title>",
    "</title>",
    "</title ",
    "<textarea>",
    "</textarea/>",
    "<xmp>",
    "</xmp>",
    "<plaintext>",
    "<iframe>",
    "</iframe>",
    "<noscript>",
    "</noscript>",
    "<noembed>",
    "</noembed x='>'>",
    "&amp;",
    "&amp",
    "&lt",
    "&copy=",
    "&copy",
    "&notit;",
    "&#38;",
    "&#x26",
    "&#0;",
    "&#150;",
    "&#xD800;",
    "&#",
    "&#x",
    "&#99999999;",
    "&nosuch;",
    "&ngE;",
    "&not",
    "text",
    "x",
    "é",
    "漢",
    "</>",
    "</ x>",
    "<1>",
    "< a>",
    "<a b=c d>",
    "<a b b=2>",
    "<a =x>",
    "<x a='>'>",
];

fn agree(html: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(by_scanner(html), by_html5gum(html), "{:?}", html);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn tag_soup_is_split_as_by_html5gum(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24)) {
        agree(&pieces.concat())?;
    }

    #[test]
    fn scripts_end_where_they_end_for_html5gum(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..50]), 0..24)
    ) {
        agree(&format!("<script>{}", pieces.concat()))?;
    }

    #[test]
    fn any_text_is_split_as_by_html5gum(html in "[^\r]{0,60}") {
        agree(&html)?;
    }

    #[test]
    fn any_brackets_are_split_as_by_html5gum(html in "[<>/=!?&;#x'\"a -]{0,40}") {
        agree(&html)?;
    }
}

/// Each piece, and each pair after an opening one, repeated: this makes careless tokenizers quadratic.
#[test]
fn no_byte_is_looked_at_often() {
    for opening in [
        "",
        "<script>",
        "<script><!--",
        "<style>",
        "<title>",
        "<!--",
        "<a b=",
        "<a b='",
    ] {
        for piece in PIECES {
            let html = format!("{opening}{}", piece.repeat(20_000));
            let mut scanner = Scanner::new(&html, Keep::Everything);
            while let Some(event) = scanner.next() {
                if let Event::Start { name, .. } = event
                    && let Some((raw, _)) = raw_kind(&spelled(name))
                {
                    scanner.raw_text(name, raw);
                }
            }
            let looked_at = scanner.looked_at.get();
            assert!(
                looked_at <= 4 * html.len(),
                "{opening}{piece}: {looked_at} of {}",
                html.len()
            );
        }
    }
}
