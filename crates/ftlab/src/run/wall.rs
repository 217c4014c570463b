//! The time of day, for fio's JSON and for predictions. Results hold none.

use std::time::{SystemTime, UNIX_EPOCH};

/// An instant of the calendar, UTC.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    since_epoch_ms: u64,
}

const DAY_S: u64 = 86_400;
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// 1 January 1970 was a Thursday.
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

impl Time {
    pub fn now() -> Time {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Time {
            since_epoch_ms: since.as_millis() as u64,
        }
    }

    pub fn unix_s(self) -> u64 {
        self.since_epoch_ms / 1000
    }

    pub fn unix_ms(self) -> u64 {
        self.since_epoch_ms
    }

    /// The day, for example `2026-11-21`.
    pub fn day(self) -> String {
        let (year, month, day) = date(self.unix_s() / DAY_S);
        format!("{year}-{:02}-{day:02}", month + 1)
    }

    /// As C's `ctime` writes it, for example `Sat Nov 21 19:10:15 2026`.
    pub fn words(self) -> String {
        let (days, second) = (self.unix_s() / DAY_S, self.unix_s() % DAY_S);
        let (year, month, day) = date(days);
        let (weekday, month) = (DAYS[(days % 7) as usize], MONTHS[month]);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}")
    }
}

/// Year, month from 0 and day from 1 of a day counted from 1 January 1970.
fn date(mut days: u64) -> (u64, usize, u64) {
    let mut year = 1970;
    while days >= 365 + leap(year) {
        days -= 365 + leap(year);
        year += 1;
    }
    let lengths = [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month, days + 1)
}

fn leap(year: u64) -> u64 {
    let century = year.is_multiple_of(100);
    u64::from(year.is_multiple_of(if century { 400 } else { 4 }))
}

#[cfg(test)]
mod tests {
    use super::Time;

    fn words(unix_s: u64) -> String {
        Time {
            since_epoch_ms: unix_s * 1000,
        }
        .words()
    }

    #[test]
    fn dates_are_those_of_ctime() {
        assert_eq!(words(0), "Thu Jan  1 00:00:00 1970");
        assert_eq!(words(951_782_400), "Tue Feb 29 00:00:00 2000");
        assert_eq!(words(1_220_832_000), "Mon Sep  8 00:00:00 2008");
        assert_eq!(words(1_795_288_215), "Sat Nov 21 19:10:15 2026");
    }
}
