//! Runs content streams and collects the text they show.

use std::collections::HashMap;
use std::rc::Rc;

use super::file::File;
use super::flow::{Flow, Piece};
use super::font::Font;
use super::object::{Dict, Item, Object, Parser, is_space};

/// Operands beyond this many are ignored.
const MAX_OPERANDS: usize = 40;

/// The most saved states.
const MAX_SAVED: usize = 64;

/// How deeply forms may contain forms.
const MAX_FORMS: usize = 5;

/// How many fonts are kept at a time.
const MAX_FONTS: usize = 200;

/// A link whose area covers text on the page.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub(crate) uri: Rc<str>,
    /// Left, bottom, right and top.
    pub(crate) edges: [f64; 4],
    pub(crate) has_text: bool,
}

/// A transformation: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    fn then(self, other: Matrix) -> Matrix {
        let [a, b, c, d, e, f] = self.0;
        let [g, h, i, j, k, l] = other.0;
        Matrix([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    fn moved(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }
}

#[derive(Clone, Debug)]
struct State {
    ctm: Matrix,
    font: Rc<Font>,
    size: f64,
    char_space: f64,
    word_space: f64,
    /// Horizontal scaling, 1 for none.
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// Shows the text of pages.
pub(crate) struct Shower<'f, 'a> {
    file: &'f File<'a>,
    pub(crate) flow: Flow,
    fonts: HashMap<u32, Rc<Font>>,
    unknown: Rc<Font>,
    text_bytes: usize,
    /// The links of the current page.
    pub(crate) areas: Vec<Area>,
    text: String,
}

impl<'f, 'a> Shower<'f, 'a> {
    pub(crate) fn new(file: &'f File<'a>, text_bytes: usize) -> Shower<'f, 'a> {
        Shower {
            file,
            flow: Flow::default(),
            fonts: HashMap::new(),
            unknown: Rc::new(Font::unknown()),
            text_bytes,
            areas: Vec::new(),
            text: String::new(),
        }
    }

    /// Whether there is room for more text.
    pub(crate) fn is_full(&self) -> bool {
        self.flow.bytes() >= self.text_bytes || self.file.budget.is_spent()
    }

    /// Runs the content of a page.
    pub(crate) fn show_page(&mut self, content: &[u8], resources: &Dict) {
        let state = State {
            ctm: Matrix::IDENTITY,
            font: Rc::clone(&self.unknown),
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        self.run(content, resources, state, 0);
    }

    fn run(&mut self, content: &[u8], resources: &Dict, mut state: State, depth: usize) {
        if !self.file.budget.charge(content.len()) {
            return;
        }
        let fonts = self.file.get_dict(resources, b"Font");
        let mut local: HashMap<Box<[u8]>, Rc<Font>> = HashMap::new();
        let mut saved: Vec<State> = Vec::new();
        let mut operands: Vec<Object> = Vec::new();
        let (mut matrix, mut line) = (Matrix::IDENTITY, Matrix::IDENTITY);
        let mut parser = Parser::of_content(content);
        while let Some(item) = parser.next() {
            let operator = match item {
                Item::Object(object) => {
                    if operands.len() < MAX_OPERANDS {
                        operands.push(object);
                    }
                    continue;
                }
                Item::Keyword(operator) => operator,
            };
            let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
            match operator {
                b"q" if saved.len() < MAX_SAVED => saved.push(state.clone()),
                b"Q" => {
                    if let Some(before) = saved.pop() {
                        state = before;
                    }
                }
                b"cm" => state.ctm = matrix_of(&operands).then(state.ctm),
                b"BT" => (matrix, line) = (Matrix::IDENTITY, Matrix::IDENTITY),
                b"Tf" => {
                    state.size = number(1);
                    if let Some(Object::Name(name)) = operands.first() {
                        state.font = match local.get(name) {
                            Some(font) => Rc::clone(font),
                            None => {
                                let font = self.font(fonts.get(name));
                                if local.len() < MAX_FONTS {
                                    local.insert(name.clone(), Rc::clone(&font));
                                }
                                font
                            }
                        };
                    }
                }
                b"Tc" => state.char_space = number(0),
                b"Tw" => state.word_space = number(0),
                b"Tz" => state.stretch = number(0) / 100.0,
                b"TL" => state.leading = number(0),
                b"Ts" => state.rise = number(0),
                b"Td" | b"TD" => {
                    if operator == b"TD" {
                        state.leading = -number(1);
                    }
                    line = Matrix::moved(number(0), number(1)).then(line);
                    matrix = line;
                }
                b"Tm" => {
                    line = matrix_of(&operands);
                    matrix = line;
                }
                b"T*" => {
                    line = Matrix::moved(0.0, -state.leading).then(line);
                    matrix = line;
                }
                b"Tj" => {
                    if let Some(Object::String(string)) = operands.first() {
                        self.show(string, &state, &mut matrix);
                    }
                }
                b"'" | b"\"" => {
                    if operator == b"\"" {
                        state.word_space = number(0);
                        state.char_space = number(1);
                    }
                    line = Matrix::moved(0.0, -state.leading).then(line);
                    matrix = line;
                    if let Some(Object::String(string)) = operands.last() {
                        self.show(string, &state, &mut matrix);
                    }
                }
                b"TJ" => {
                    for part in operands.first().and_then(Object::array).unwrap_or_default() {
                        match part {
                            Object::String(string) => self.show(string, &state, &mut matrix),
                            part => {
                                let by = -part.number().unwrap_or(0.0) / 1000.0 * state.size * state.stretch;
                                matrix = Matrix::moved(by, 0.0).then(matrix);
                            }
                        }
                    }
                }
                b"Do" => {
                    if let Some(name) = operands.first().and_then(Object::name) {
                        self.show_form(name, resources, &state, depth);
                    }
                }
                b"ID" => skip_image(&mut parser, content),
                _ => {}
            }
            operands.clear();
            if self.is_full() {
                break;
            }
        }
    }

    fn font(&mut self, object: &Object) -> Rc<Font> {
        if let Object::Ref(number) = object
            && let Some(font) = self.fonts.get(number)
        {
            return Rc::clone(font);
        }
        let font = match self.file.resolve(object).dict() {
            Some(dict) => {
                // Making the tables costs about as much as reading a few kilobytes.
                self.file.budget.charge(8 << 10);
                Rc::new(Font::new(self.file, dict))
            }
            None => Rc::clone(&self.unknown),
        };
        if let Object::Ref(number) = object {
            if self.fonts.len() >= MAX_FONTS {
                self.fonts.clear();
            }
            self.fonts.insert(*number, Rc::clone(&font));
        }
        font
    }

    fn show_form(&mut self, name: &[u8], resources: &Dict, state: &State, depth: usize) {
        let forms = self.file.get(resources, b"XObject");
        let Some(form) = forms.dict().map(|forms| forms.get(name)) else {
            return;
        };
        self.file.budget.charge(256);
        if depth >= MAX_FORMS || self.is_full() {
            return;
        }
        let is_form = match self.file.raw_stream(form) {
            Some((dict, _)) => self.file.get(&dict, b"Subtype").is_name(b"Form"),
            None => false,
        };
        if !is_form {
            return;
        }
        let Some((dict, content)) = self.file.stream(form) else {
            return;
        };
        let own = self.file.get_dict(&dict, b"Resources");
        let own = if own.is_empty() { resources } else { &own };
        let mut state = state.clone();
        if let Object::Array(matrix) = self.file.get(&dict, b"Matrix").as_ref() {
            state.ctm = matrix_of(matrix).then(state.ctm);
        }
        self.run(&content, own, state, depth + 1);
    }

    /// Shows a string and moves on behind it.
    fn show(&mut self, string: &[u8], state: &State, matrix: &mut Matrix) {
        // The text of one piece: all of it or, where there are links, a word.
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let by_word = !self.areas.is_empty();
        let font = Rc::clone(&state.font);
        let scale = state.size / 1000.0;
        let mut start = 0.0;
        let mut at = 0.0;
        font.show(string, |shown, glyph| {
            let space = state.char_space
                + if glyph.is_word_space {
                    state.word_space
                } else {
                    0.0
                };
            let next = at + (glyph.width * scale + space) * state.stretch;
            if shown.contains('\0') || shown.is_empty() {
                at = next;
                return;
            }
            if by_word && shown == " " {
                self.place(&text, start, at, state, *matrix);
                text.clear();
                self.place(" ", at, next, state, *matrix);
                (at, start) = (next, next);
                return;
            }
            text.push_str(shown);
            // The space after the last character is a gap, not part of it.
            at = next;
        });
        let end = if text.is_empty() {
            at
        } else {
            at - state.char_space * state.stretch
        };
        self.place(&text, start, end, state, *matrix);
        *matrix = Matrix::moved(at, 0.0).then(*matrix);
        self.text = text;
    }

    /// Hands a piece of text to the flow.
    fn place(&mut self, text: &str, start: f64, end: f64, state: &State, matrix: Matrix) {
        if text.is_empty() {
            return;
        }
        let Matrix([a, b, c, d, e, f]) = Matrix::moved(0.0, state.rise).then(matrix).then(state.ctm);
        let across = a.hypot(b);
        let size = c.hypot(d) * state.size.abs();
        let usable = [a, b, c, d, e, f, start, end, size, across]
            .iter()
            .all(|x| x.is_finite() && x.abs() < 1e9);
        if !usable || across <= 0.0 || size <= 0.0 {
            return;
        }
        let direction = (a / across, b / across);
        // Downwards is to the right of the direction of writing.
        let down = (direction.1, -direction.0);
        let along = e * direction.0 + f * direction.1;
        let piece = Piece {
            direction,
            along: along + start * across,
            end: along + end * across,
            down: e * down.0 + f * down.1,
            size,
        };
        let middle = (start + end) / 2.0 * across;
        let (x, y) = (e + direction.0 * middle, f + direction.1 * middle);
        // A little above the line, where the letters are.
        let (x, y) = (x - down.0 * size * 0.25, y - down.1 * size * 0.25);
        if !self.areas.is_empty() {
            self.file.budget.charge(self.areas.len() / 8);
        }
        let link = self.areas.iter_mut().find(|area| {
            let [left, bottom, right, top] = area.edges;
            (left..=right).contains(&x) && (bottom..=top).contains(&y)
        });
        let uri = link.map(|area| {
            area.has_text = true;
            Rc::clone(&area.uri)
        });
        self.flow.add(text, piece, uri.as_deref());
    }
}

fn matrix_of(operands: &[Object]) -> Matrix {
    let mut matrix = Matrix::IDENTITY;
    for (slot, operand) in matrix.0.iter_mut().zip(operands) {
        *slot = operand.number().unwrap_or(0.0);
    }
    matrix
}

/// Skips the data of an image within the content: up to `EI` between spaces.
fn skip_image(parser: &mut Parser<'_>, content: &[u8]) {
    let from = parser.at();
    let rest = content.get(from..).unwrap_or_default();
    let end = memchr::memmem::find_iter(rest, b"EI").find(|at| {
        let is_space_at =
            |at: Option<usize>| at.is_none_or(|at| rest.get(at).is_none_or(|byte| is_space(*byte)));
        is_space_at(at.checked_sub(1)) && is_space_at(Some(at + 2))
    });
    parser.go_to(from + end.map_or(rest.len(), |at| at + 2));
}
