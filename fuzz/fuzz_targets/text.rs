//! Words keep their spelling, and runs of words stay inside the text.
//!
//! Each line is a block. A mark is set at the middle of each, as a parser does for the links it finds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_types::text::{Edge, Mark, Text, Token, tokenize, url_words};

fuzz_target!(|raw: &str| {
    let mut text = Text::default();
    for line in raw.lines() {
        let mut positions = Vec::new();
        let marks = [
            Mark {
                at: (line.len() / 3) as u32,
                edge: Edge::Start,
            },
            Mark {
                at: (line.len() / 2) as u32,
                edge: Edge::End,
            },
        ];
        text.push_marked(line, &marks, &mut positions);
        let [start, end] = positions[..] else {
            panic!("two marks give two positions")
        };
        assert!(start <= text.len() && end <= text.len());
        let run = start.min(end)..end;
        for around in [text.widen(&run, 20), text.sentence_around(&run)] {
            assert!(around.start <= run.start && around.end >= run.end && around.end <= text.len());
        }
        text.push_break();
    }
    for (position, token) in (0..).zip(text.tokens()) {
        match text.spelling(position) {
            "" => assert_eq!(*token, Token::BREAK),
            spelling => assert_eq!(*token, Token::of(spelling)),
        }
    }
    let _ = tokenize(raw);
    let _ = url_words(raw);
});
