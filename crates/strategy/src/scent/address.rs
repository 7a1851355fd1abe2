//! Where in a site a URL belongs, by its spelling alone.

use scenthound_types::CanonicalUrl;

use super::note::Places;

/// A 32-bit hash that is the same everywhere (FNV-1a, folded).
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn short(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }
}

/// The host, the directory, the folder above it and the template of a URL. URLs share a template if they differ only in
/// numbers, in the letters of their last segment, in the values of their parameters and in how often a folder is repeated:
/// the days of a calendar, one page with many session ids, or a folder within itself.
pub(super) fn places(url: &CanonicalUrl) -> Places {
    let mut hash = Fnv::new();
    url.origin().bytes().for_each(|byte| hash.byte(byte));
    let host = hash.short();
    let mut above = hash;
    let (path, query) = match url.path_and_query().split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (url.path_and_query(), None),
    };
    let (directory, last) = path.rsplit_once('/').unwrap_or(("", path));
    let section = directory.rsplit_once('/').map_or("", |(section, _)| section);
    section.bytes().for_each(|byte| above.byte(byte));
    above.byte(b'/');
    directory.bytes().for_each(|byte| hash.byte(byte));
    hash.byte(b'/');
    let place = hash.short();
    let mut template = Fnv::new();
    template.byte(1);
    url.origin().bytes().for_each(|byte| template.byte(byte));
    let mut last_folder = None;
    for folder in directory.split('/') {
        if last_folder != Some(folder) {
            shape(folder, false, &mut template);
            template.byte(b'/');
        }
        last_folder = Some(folder);
    }
    shape(last, true, &mut template);
    for parameter in query.into_iter().flat_map(|query| query.split('&')) {
        template.byte(b'&');
        let name = parameter.split('=').next().unwrap_or_default();
        name.bytes().for_each(|byte| template.byte(byte));
    }
    Places {
        host,
        section: above.short(),
        directory: place,
        template: template.short(),
    }
}

/// Hashes a path with each run of digits as one, and where asked each run of letters too, but for the extension.
fn shape(path: &str, letters: bool, hash: &mut Fnv) {
    let (name, extension) = match path.rsplit_once('.') {
        Some((name, extension)) if letters => (name, extension),
        _ => (path, ""),
    };
    let mut last = 0;
    for byte in name.bytes() {
        let class = match byte {
            b'0'..=b'9' => b'0',
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'-' | b'%' | 128.. if letters => b'a',
            other => other,
        };
        let is_run = class == b'0' || letters && class == b'a';
        if !(is_run && class == last) {
            hash.byte(class);
        }
        last = class;
    }
    hash.byte(b'.');
    extension.bytes().for_each(|byte| hash.byte(byte));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Places {
        places(&CanonicalUrl::parse(url).unwrap())
    }

    #[test]
    fn days_of_a_calendar_and_session_ids_share_a_template() {
        for (one, other) in [
            (
                "http://a.test/cal?day=1&month=2",
                "http://a.test/cal?day=17&month=11",
            ),
            (
                "http://a.test/cal/2024/03/1.html",
                "http://a.test/cal/2023/11/30.html",
            ),
            ("http://a.test/x?sid=ab12", "http://a.test/x?sid=ff07"),
            (
                "http://a.test/people/smith.html",
                "http://a.test/people/jones.html",
            ),
            (
                "http://a.test/archive/older/",
                "http://a.test/archive/older/older/older/",
            ),
        ] {
            assert_eq!(of(one).template, of(other).template, "{one} {other}");
        }
        assert_ne!(
            of("http://a.test/x?a=1").template,
            of("http://a.test/x?b=1").template
        );
        assert_ne!(
            of("http://a.test/x.html").template,
            of("http://a.test/x.pdf").template
        );
        assert_ne!(of("http://a.test/x").template, of("http://b.test/x").template);
        assert_ne!(
            of("http://a.test/x/y/").template,
            of("http://a.test/x/z/").template
        );
    }

    #[test]
    fn a_directory_is_everything_up_to_the_last_slash() {
        let home = of("http://a.test/~b/");
        assert_eq!(home.directory, of("http://a.test/~b/c.html").directory);
        assert_ne!(home.directory, of("http://a.test/~b/c/").directory);
        assert_eq!(home.host, of("http://a.test/").host);
        assert_ne!(home.host, of("https://a.test/").host);
    }

    #[test]
    fn a_section_is_the_folder_above_the_directory() {
        let guides = of("http://a.test/guides/green/x.html");
        assert_eq!(guides.section, of("http://a.test/guides/black/y.html").section);
        assert_eq!(guides.section, of("http://a.test/guides/").directory);
        let home = of("http://a.test/x.html");
        assert_eq!(home.section, home.directory);
    }
}
