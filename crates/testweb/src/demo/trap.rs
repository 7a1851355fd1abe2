//! The endless parts of the demo web: a calendar whose every day has a next one, and nested folders without end.

use crate::demo::layout;
use crate::site::SiteResponse;

/// Answers for the endless parts; none for anything else.
pub(super) fn answer(host: &str, path: &str) -> Option<SiteResponse> {
    match host {
        "tea-society.test" => calendar(path),
        "cars-weekly.test" => archive(path),
        _ => None,
    }
}

fn calendar(path: &str) -> Option<SiteResponse> {
    let day: u64 = path.strip_prefix("/calendar/day/")?.parse().ok()?;
    let next = day.checked_add(1)?;
    let body = format!(
        "<p>No tea tasting on day {day}. The kettle rests.</p>\n<p>{} {}</p>\n",
        layout::link(&format!("/calendar/day/{next}"), "next day"),
        layout::link(&format!("/calendar/day/{}", day.saturating_add(7)), "next week"),
    );
    let title = format!("Calendar, day {day}");
    Some(SiteResponse::html(layout::page(
        "The Tea Society",
        &[("/", "Home")],
        &title,
        "",
        &body,
    )))
}

fn archive(path: &str) -> Option<SiteResponse> {
    let depth = path.strip_prefix("/archive/")?.split_terminator('/');
    let mut years = 0_usize;
    for folder in depth {
        if folder != "older" {
            return None;
        }
        years += 1;
    }
    let body = format!(
        "<p>Issues of {years} years ago are being scanned. {}</p>\n",
        layout::link("older/", "Older issues")
    );
    Some(SiteResponse::html(layout::page(
        "Cars Weekly",
        &[("/", "Home")],
        "Archive",
        "",
        &body,
    )))
}
