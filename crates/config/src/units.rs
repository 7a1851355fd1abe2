//! Durations and sizes in bytes, as people write them.
//!
//! Times are kept to the millisecond, sizes to the byte. What `spell_*` writes, `read_*` reads back exactly.

use std::time::Duration;

const TIME_UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// Largest first within each family, so that spelling takes the first that divides.
const SIZE_UNITS: [(&str, u64); 9] = [
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("B", 1),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
];

/// Longer than anyone waits. The limit keeps sums of times far from overflow.
const LONGEST: f64 = 10.0 * 365.0 * 86_400_000.0;

/// Reads `2s`, `500ms`, `1h30m`, `1.5h`, `0`.
pub fn read_time(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut millis = 0.0;
    while !rest.is_empty() {
        let (amount, after) = split_number(rest)?;
        let unit_end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let (_, size) = TIME_UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
        let part = amount * *size as f64;
        // A time below one millisecond must not silently become no wait at all.
        if part > 0.0 && part < 1.0 {
            return None;
        }
        millis += part;
        rest = after;
    }
    (!text.is_empty() && millis <= LONGEST).then(|| Duration::from_millis(millis.round() as u64))
}

/// Writes a time in the largest unit that divides it exactly.
pub(crate) fn spell_time(time: Duration) -> String {
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if millis == 0 {
        return "0s".to_owned();
    }
    let fitting = TIME_UNITS.iter().find(|(_, size)| millis.is_multiple_of(*size));
    let (unit, size) = fitting.copied().unwrap_or(("ms", 1));
    format!("{}{unit}", millis / size)
}

/// Reads `10GB`, `512KiB`, `1.5MB`, `100B`, `4096`.
pub fn read_size(text: &str) -> Option<u64> {
    if let Ok(bytes) = text.parse() {
        return Some(bytes);
    }
    let (amount, unit) = split_number(text)?;
    let (_, size) = SIZE_UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit.trim_start()))?;
    let digits = text.get(..text.len() - unit.len()).unwrap_or_default();
    match digits.parse::<u64>() {
        Ok(whole) => whole.checked_mul(*size),
        // Beyond this a float can no longer represent every byte count.
        Err(_) => Some(amount * *size as f64)
            .filter(|bytes| *bytes <= (1_u64 << 53) as f64)
            .map(|bytes| bytes.round() as u64),
    }
}

/// Writes a size in the largest decimal unit that divides it exactly.
pub(crate) fn spell_size(bytes: u64) -> String {
    let fitting = SIZE_UNITS
        .iter()
        .find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size));
    match fitting {
        Some(("B", _)) | None => bytes.to_string(),
        Some((unit, size)) => format!("{}{unit}", bytes / size),
    }
}

/// A plain decimal number and what follows it.
fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let millis = |text| read_time(text).map(|time| time.as_millis());
        assert_eq!(millis("2s"), Some(2_000));
        assert_eq!(millis("500ms"), Some(500));
        assert_eq!(millis("1h30m"), Some(5_400_000));
        assert_eq!(millis("1.5h"), Some(5_400_000));
        assert_eq!(millis("0"), Some(0));
        for wrong in ["", "2", "2x", "s", "-1s", "1.2.3s", "0.1ms", "9999999d", "2 s"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_are_decimal_unless_they_say_otherwise() {
        assert_eq!(read_size("10GB"), Some(10_000_000_000));
        assert_eq!(read_size("1.5 mb"), Some(1_500_000));
        assert_eq!(read_size("4KiB"), Some(4_096));
        assert_eq!(read_size("4096"), Some(4_096));
        assert_eq!(read_size("702552019485112KB"), Some(702_552_019_485_112_000));
        for wrong in ["", "GB", "10XB", "-1", "1e9", "99999999TB"] {
            assert_eq!(read_size(wrong), None, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_spelled_is_read_back(number: u64) {
            proptest::prop_assert_eq!(read_size(&spell_size(number)), Some(number));
            let time = Duration::from_millis(number % 1_000_000_000);
            proptest::prop_assert_eq!(read_time(&spell_time(time)), Some(time));
        }

        #[test]
        fn no_text_breaks_the_readers(text in ".*") {
            let _ = (read_size(&text), read_time(&text));
        }
    }
}
