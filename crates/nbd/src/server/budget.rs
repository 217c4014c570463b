//! Memory for the data of requests, which the connections of a server share.
//!
//! Each connection has some of its own, so a small request never waits for another client. What a
//! connection needs beyond that it borrows here: who came first has it first. A client may let what it
//! borrowed lie, because it does not take its answers or does not send what it announced. It is
//! hung up on when others have waited for that long enough.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Interval at which those who wait look if their client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Memory that can be borrowed.
#[derive(Debug)]
pub(super) struct Budget {
    bytes_max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lent_bytes: usize,
    /// The connections that wait, in their order.
    waiting: VecDeque<u64>,
}

impl Budget {
    pub fn new(bytes_max: usize) -> Budget {
        Budget {
            bytes_max,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds the budget")
    }

    /// Borrows if that needs no waiting.
    pub fn borrow_now(&self, bytes: usize) -> bool {
        let mut state = self.lock();
        let is_lent = state.waiting.is_empty() && self.fits(&state, bytes);
        state.lent_bytes += if is_lent { bytes } else { 0 };
        is_lent
    }

    fn fits(&self, state: &State, bytes: usize) -> bool {
        // More than there is at all is lent alone.
        state.lent_bytes == 0 || state.lent_bytes + bytes <= self.bytes_max
    }

    /// Borrows for a connection, behind those who came before, and waits until it can be; false if that
    /// was given up.
    pub fn borrow(&self, number: u64, bytes: usize, is_given_up: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        state.waiting.push_back(number);
        loop {
            let is_first = state.waiting.front() == Some(&number);
            let is_lent = is_first && self.fits(&state, bytes);
            if is_lent || is_given_up() {
                state.waiting.retain(|waits| *waits != number);
                state.lent_bytes += if is_lent { bytes } else { 0 };
                self.changed.notify_all();
                return is_lent;
            }
            let waited = self.changed.wait_timeout(state, LOOK_EVERY);
            state = waited.expect("no panic holds the budget").0;
        }
    }

    pub fn give_back(&self, bytes: usize) {
        if bytes > 0 {
            self.lock().lent_bytes -= bytes;
            self.changed.notify_all();
        }
    }

    /// True if a connection waits for memory.
    pub fn is_short(&self) -> bool {
        !self.lock().waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn who_came_first_has_it_first_and_never_more_than_there_is() {
        let budget = Budget::new(10);
        assert!(budget.borrow_now(7));
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            // The second would fit.
            for (n, bytes) in [(1, 8), (2, 3)] {
                let (tell, budget) = (tell.clone(), &budget);
                scope.spawn(move || {
                    assert!(budget.borrow(n, bytes, || false));
                    tell.send(n).expect("the test listens");
                });
                while budget.lock().waiting.back() != Some(&n) {
                    thread::yield_now();
                }
            }
            assert!(budget.is_short());
            assert!(!budget.borrow_now(1), "others came before");
            assert!(told.try_recv().is_err());
            budget.give_back(7);
            assert_eq!(told.recv_timeout(PATIENCE), Ok(1));
            assert!(told.try_recv().is_err());
            budget.give_back(8);
            assert_eq!(told.recv_timeout(PATIENCE), Ok(2));
        });
        budget.give_back(3);
        // More than there is, when nothing is lent.
        assert!(budget.borrow(3, 11, || false));
        assert!(!budget.borrow(4, 1, || true));
        assert!(!budget.is_short());
        budget.give_back(11);
        assert_eq!(budget.lock().lent_bytes, 0);
    }
}
