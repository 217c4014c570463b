//! Messages on clients: a line for each kind of error, and a count of those like it.

use ftlab_console::screen;
use ftlab_nbd::server::ConnectionError;
use ftlab_nbd::server::Event;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// For how long after a line others of its kind are counted.
const SPAN: Duration = Duration::from_secs(10);

/// Printer of messages on the clients of a server.
#[derive(Default)]
pub struct Clients(Mutex<BTreeMap<&'static str, LastLine>>);

/// The last line of a kind.
struct LastLine {
    at: Instant,
    /// Errors of its kind since.
    more: u64,
}

impl Clients {
    /// Says on standard error what went wrong with a client.
    pub fn tell(&self, number: u64, event: &Event) {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines(&mut kinds, number, event, Instant::now()) {
            screen::say(&format!("{line}\n"));
        }
    }
}

impl Drop for Clients {
    /// Prints the counts that were not printed yet.
    fn drop(&mut self) {
        let kinds = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        kinds
            .iter()
            .filter_map(|(kind, last)| last.summary(kind, now))
            .for_each(|line| screen::say(&format!("{line}\n")));
    }
}

impl LastLine {
    fn summary(&self, kind: &str, now: Instant) -> Option<String> {
        let span_s = now.duration_since(self.at).as_secs_f64();
        (self.more > 0).then(|| {
            format!(
                "{} more connections in the last {span_s:.0} s: {kind}",
                self.more
            )
        })
    }
}

/// Lines to print at an event: the counts of the kinds that fell silent for a span, and the event itself, if it
/// is the first of its kind in its span.
fn lines(
    kinds: &mut BTreeMap<&'static str, LastLine>,
    number: u64,
    event: &Event,
    now: Instant,
) -> Vec<String> {
    let mut lines = Vec::new();
    kinds.retain(|kind, last| {
        let is_over = now.duration_since(last.at) >= SPAN;
        if is_over {
            lines.extend(last.summary(kind, now));
        }
        !is_over
    });
    if let Some((kind, words)) = error_in_words(event) {
        let last = kinds.entry(kind).and_modify(|last| last.more += 1);
        last.or_insert_with(|| {
            lines.push(format!("connection {number}: {words}"));
            LastLine { at: now, more: 0 }
        });
    }
    lines
}

/// Kind of the error of an event, and its message; none if nothing went wrong.
fn error_in_words(event: &Event) -> Option<(&'static str, String)> {
    let error = match event {
        Event::Connected | Event::Ended(Ok(())) => return None,
        Event::TooMany => return Some(("refused", ConnectionError::TooMany.to_string())),
        Event::Ended(Err(error)) => error,
    };
    let kind = match error {
        ConnectionError::Slow => "the negotiation took too long",
        ConnectionError::Violation(_) => "the negotiation could not go on",
        ConnectionError::BadRequest(_) => "what came was no request",
        ConnectionError::Tls(_) => "no TLS, or no certificate that is taken",
        ConnectionError::Overdue => "others waited for the memory",
        ConnectionError::GaveWay => "they showed no certificate, and made room for others",
        ConnectionError::TooMany => "refused",
        ConnectionError::Gone => "gone amid a message",
        ConnectionError::Socket(_) => "the socket failed",
    };
    Some((kind, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_alike_one_line_is_said_and_how_many_more_there_were() {
        let mut kinds = BTreeMap::new();
        let began = Instant::now();
        let mut at = |ms: u64, number, event| {
            lines(
                &mut kinds,
                number,
                &event,
                began + Duration::from_millis(ms),
            )
        };
        let gone = || Event::Ended(Err(ConnectionError::Gone));
        assert_eq!(
            at(0, 1, gone()),
            ["connection 1: the client is gone amid a message"]
        );
        for n in 2..1000 {
            assert!(at(n, n, gone()).is_empty());
        }
        // Another kind is said at once, and what went well never.
        assert_eq!(at(2000, 1000, Event::TooMany).len(), 1);
        assert!(at(3000, 1001, Event::Ended(Ok(()))).is_empty());
        assert_eq!(
            at(10_000, 1002, gone()),
            [
                "998 more connections in the last 10 s: gone amid a message",
                "connection 1002: the client is gone amid a message"
            ]
        );
        // Nothing is left to say of a kind that was not seen again.
        assert!(at(60_000, 1003, Event::Connected).is_empty());
        assert!(kinds.is_empty());
    }
}
