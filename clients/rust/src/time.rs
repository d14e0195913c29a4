//! Moments as DATETIME in UTC, and durations as TIME.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: i64 = 86_400;

/// The days from 1970-01-01 to a day of the Gregorian calendar.
fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year }; // Years that begin in March.
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = (shifted + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

fn with_fraction(mut text: String, micros: u32) -> String {
    if micros != 0 {
        text += format!(".{micros:06}").trim_end_matches('0');
    }
    text
}

/// The moment as DATETIME in UTC, to the microsecond below. The server refuses years that it has not.
pub(crate) fn to_datetime(moment: SystemTime) -> String {
    let micros = match moment.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_micros() as i128,
        Err(before) => -((before.duration().as_nanos() as i128 + 999) / 1_000),
    };
    let seconds = micros.div_euclid(1_000_000) as i64;
    let (year, month, day) = date_from_days(seconds.div_euclid(DAY));
    let time = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    let whole = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    with_fraction(whole, micros.rem_euclid(1_000_000) as u32)
}

/// The duration as TIME, to the microsecond below.
pub(crate) fn to_time(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    with_fraction(format!("{hours:02}:{minutes:02}:{:02}", seconds % 60), time.subsec_micros())
}

/// Reads digits, as many as are there, up to a largest number.
fn number(digits: &str, most: i64) -> Option<i64> {
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|number| *number <= most)
}

/// Splits `seconds.fraction`; the fraction is in microseconds.
fn split_fraction(text: &str) -> Option<(&str, u32)> {
    match text.split_once('.') {
        None => Some((text, 0)),
        Some((whole, fraction)) => {
            let padded = format!("{fraction:0<6}");
            Some((whole, number(&padded, 999_999)? as u32))
        }
    }
}

fn parse_clock(text: &str, most_hours: i64) -> Option<Duration> {
    let (whole, micros) = split_fraction(text)?;
    let mut parts = whole.split(':');
    let hours = number(parts.next()?, most_hours)?;
    let minutes = number(parts.next()?, 59)?;
    let seconds = number(parts.next()?, 59)?;
    if parts.next().is_some() {
        return None;
    }
    let seconds = (hours * 3_600 + minutes * 60 + seconds) as u64;
    Some(Duration::new(seconds, micros * 1_000))
}

/// Reads a DATE or DATETIME as a moment in UTC. A day of no calendar is none.
pub(crate) fn parse_datetime(text: &str) -> Option<SystemTime> {
    let (date, clock) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let mut parts = date.split('-');
    let year = number(parts.next()?, 9_999)?;
    let month = number(parts.next()?, 12)?;
    let day = number(parts.next()?, 31)?;
    let days = days_from_date(year, month, day);
    if parts.next().is_some() || date_from_days(days) != (year, month, day) {
        return None;
    }
    let clock = parse_clock(clock, 23)?;
    let midnight = Duration::from_secs((days * DAY).unsigned_abs());
    let midnight = if days < 0 {
        UNIX_EPOCH.checked_sub(midnight)?
    } else {
        UNIX_EPOCH.checked_add(midnight)?
    };
    midnight.checked_add(clock)
}

/// Reads a TIME that is not negative.
pub(crate) fn parse_time(text: &str) -> Option<Duration> {
    parse_clock(text, 838)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read_back() {
        let second = Duration::from_secs(1);
        for (moment, text) in [
            (UNIX_EPOCH, "1970-01-01 00:00:00"),
            (UNIX_EPOCH - Duration::from_micros(1), "1969-12-31 23:59:59.999999"),
            (UNIX_EPOCH + second * 951_782_400, "2000-02-29 00:00:00"),
            (UNIX_EPOCH + Duration::from_millis(1_709_210_096_789), "2024-02-29 12:34:56.789"),
        ] {
            assert_eq!(to_datetime(moment), text);
            assert_eq!(parse_datetime(text), Some(moment), "{text}");
        }
        assert_eq!(parse_datetime("1970-01-02"), Some(UNIX_EPOCH + second * 86_400));
    }

    #[test]
    fn every_day_has_its_number() {
        let (mut year, mut month, mut day) = (1583, 1, 1);
        for days in days_from_date(1583, 1, 1)..days_from_date(2420, 1, 1) {
            assert_eq!(date_from_days(days), (year, month, day));
            assert_eq!(days_from_date(year, month, day), days);
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > last {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn days_of_no_calendar_are_no_moments() {
        for text in ["0000-00-00", "2023-02-29", "2020-13-01", "2020-01-01 24:00:00", "x", "", "-"]
        {
            assert_eq!(parse_datetime(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_written_and_read_back() {
        for (time, text) in [
            (Duration::ZERO, "00:00:00"),
            (Duration::new(838 * 3_600 + 59 * 60 + 59, 0), "838:59:59"),
            (Duration::new(3_661, 500_000_000), "01:01:01.5"),
            (Duration::new(1, 20_000), "00:00:01.00002"),
        ] {
            assert_eq!(to_time(time), text);
            assert_eq!(parse_time(text), Some(time));
        }
        for text in ["-01:00:00", "01:60:00", "01:00", "01:00:00:00", "01:00:00.1234567"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
