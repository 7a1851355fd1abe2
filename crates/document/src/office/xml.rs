//! The events of an XML file, with names reduced to what follows the prefix.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What happens in a file.
pub(super) enum XmlEvent<'a> {
    Start(&'a str, &'a BytesStart<'a>),
    End(&'a str),
    Text(&'a str),
}

/// Reads a file from front to back. An error ends it where it is. `each` returns false to stop.
pub(super) fn read(bytes: &[u8], mut each: impl FnMut(XmlEvent<'_>) -> bool) {
    let text = decode(bytes);
    let mut reader = Reader::from_str(&text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        let goes_on = match reader.read_event() {
            Ok(Event::Start(tag)) => each(XmlEvent::Start(local(tag.name().as_ref()), &tag)),
            Ok(Event::Empty(tag)) => {
                let name = tag.name();
                each(XmlEvent::Start(local(name.as_ref()), &tag)) && each(XmlEvent::End(local(name.as_ref())))
            }
            Ok(Event::End(tag)) => each(XmlEvent::End(local(tag.name().as_ref()))),
            Ok(Event::Text(text)) => each(XmlEvent::Text(text.as_ref())),
            Ok(Event::CData(text)) => each(XmlEvent::Text(text.as_ref())),
            Ok(Event::GeneralRef(reference)) => {
                let mut buffer = [0; 4];
                let character = match reference.resolve_char_ref() {
                    Ok(Some(c)) => Some(&*c.encode_utf8(&mut buffer)),
                    _ => quick_xml::escape::resolve_predefined_entity(reference.as_ref()),
                };
                character.is_none_or(|c| each(XmlEvent::Text(c)))
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => true,
            Ok(Event::Eof) | Err(_) => false,
        };
        if !goes_on {
            return;
        }
    }
}

fn decode(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match bytes {
        [0xfe, 0xff, ..] => encoding_rs::UTF_16BE.decode_with_bom_removal(bytes).0,
        [0xff, 0xfe, ..] => encoding_rs::UTF_16LE.decode_with_bom_removal(bytes).0,
        _ => encoding_rs::UTF_8.decode_with_bom_removal(bytes).0,
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The value of an attribute, whatever its prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    // Hostile elements have thousands.
    let mut attributes = tag.attributes();
    let found = attributes
        .with_checks(false)
        .take(64)
        .filter_map(Result::ok)
        .find(|attribute| local(attribute.key.as_ref()) == name)?;
    let raw = found.value;
    Some(match quick_xml::escape::unescape(&raw) {
        Ok(value) => value.into_owned(),
        Err(_) => raw.into_owned(),
    })
}
