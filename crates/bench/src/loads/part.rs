//! The part of a recorded trace that is replayed, in the words of users.

use ftlab_base::Nanos;
use std::str::FromStr;

/// A part of a trace, from one time after its start to another, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first moment; none for the start of the trace.
    pub from_ns: Option<u64>,
    /// The moment after the last; none for the end of the trace.
    pub until_ns: Option<u64>,
}

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Window, String> {
        let wrong = || {
            "give two times with two dots between them, for example 10m..1h, ..30s or 5s.."
                .to_owned()
        };
        let (from, until) = text.split_once("..").ok_or_else(wrong)?;
        let time = |text: &str| match text.trim() {
            "" => Ok(None),
            text => ftlab_workload::time(text, Nanos::from_secs(1)).map(|span| Some(span.0)),
        };
        let (from_ns, until_ns) = (time(from)?, time(until)?);
        if from_ns.unwrap_or(0) >= until_ns.unwrap_or(u64::MAX) {
            return Err("the second time must be later than the first".to_owned());
        }
        Ok(Window { from_ns, until_ns })
    }
}

/// Reads the share of a trace's addresses that is kept, in percent.
///
/// # Errors
/// When it is none.
pub fn share_of_addresses(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.trim_end_matches('%').trim().parse().ok();
    match percent {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("give a percentage above 0 and to 100, for example 10%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_shares_are_read_or_refused_with_what_to_give() {
        let ns = |s: u64| Some(s * 1_000_000_000);
        assert_eq!(
            "10m..1h".parse(),
            Ok(Window {
                from_ns: ns(600),
                until_ns: ns(3600)
            })
        );
        assert_eq!(
            "..30s".parse(),
            Ok(Window {
                from_ns: None,
                until_ns: ns(30)
            })
        );
        assert_eq!(
            "5..".parse(),
            Ok(Window {
                from_ns: ns(5),
                until_ns: None
            })
        );
        for text in ["10", "2s..1s", "a..b"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
        assert_eq!(
            (share_of_addresses("10%"), share_of_addresses("0.5")),
            (Ok(0.1), Ok(0.005))
        );
        assert!(
            share_of_addresses("0").is_err()
                && share_of_addresses("101%").is_err()
                && share_of_addresses("NaN").is_err()
        );
    }
}
