//! Sleeping until an instant, almost exactly.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// First margin by which a thread lets itself be woken early.
const EARLY_START: Duration = Duration::from_micros(10);

/// The longest spin. A quiet core of a bare machine wakes a thread within 10 µs, one of a virtual machine
/// within 50 to 100, when the host has to be asked first. A wake-up that takes longer has met another program on
/// the core or a busy host, and spinning would only take the core from others.
const EARLY_MAX: Duration = Duration::from_micros(200);

/// The shortest spin, so that the margin can grow again, and long enough that the share which a wake-up in time takes
/// from it is a nanosecond.
const EARLY_MIN: Duration = Duration::from_micros(4);

/// One of N wake-ups may be later than the margin: the margin grows by a share with that one,
/// and loses as much over all the others. So a wake-up that is very late weighs no more than one that
/// is a little late. One in a hundred would put the 99th percentile of lateness where the margin ends; a
/// tenth of that leaves it to what interrupts even a spinning thread.
const LATE_ONE_IN: u32 = 1000;

/// The share by which a late wake-up lets the margin grow.
const GROWTH_ONE_IN: u32 = 4;

/// Reason for the end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// The instant of the wait has come.
    Due,
    /// Another thread called [`Waker::wake`], maybe before the wait began.
    Called,
}

/// Lets the thread that made it sleep.
#[derive(Debug)]
pub struct Waiter {
    waker: Waker,
    /// Margin by which the thread lets itself be woken early.
    early: Duration,
}

/// Ends the wait of a [`Waiter`], from any thread.
#[derive(Debug, Clone)]
pub struct Waker {
    called: Arc<AtomicBool>,
    thread: Thread,
}

impl Waker {
    /// Ends the present wait, or the next one if there is none.
    pub fn wake(&self) {
        // If several calls come before the thread looks again, the first suffices.
        if !self.called.swap(true, Ordering::AcqRel) {
            self.thread.unpark();
        }
    }
}

impl Waiter {
    /// A waiter for this thread. Its timer slack becomes a nanosecond.
    ///
    /// # Errors
    /// When the kernel refuses the slack.
    pub fn for_this_thread() -> std::io::Result<Waiter> {
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        Ok(Waiter {
            waker: Waker {
                called: Arc::new(AtomicBool::new(false)),
                thread: thread::current(),
            },
            early: EARLY_START,
        })
    }

    /// Handle that wakes this waiter.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits for the instant, if there is one, or for a call. A call wins over an instant that has come.
    pub fn wait(&mut self, due: Option<Instant>) -> Woken {
        loop {
            if self.waker.called.swap(false, Ordering::AcqRel) {
                return Woken::Called;
            }
            let Some(due) = due else {
                thread::park();
                continue;
            };
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Woken::Due;
            }
            match left.checked_sub(self.early) {
                Some(sleep) if !sleep.is_zero() => {
                    let asked = due - self.early;
                    thread::park_timeout(sleep);
                    let late = Instant::now().checked_duration_since(asked);
                    if let Some(late) = late.filter(|_| !self.is_called()) {
                        self.learn(late);
                    }
                }
                _ => std::hint::spin_loop(),
            }
        }
    }

    fn is_called(&self) -> bool {
        self.waker.called.load(Ordering::Acquire)
    }

    /// Follows how late wake-ups are.
    fn learn(&mut self, late: Duration) {
        let early = match late > self.early {
            true => self.early + self.early / GROWTH_ONE_IN,
            false => self.early - self.early / (GROWTH_ONE_IN * (LATE_ONE_IN - 1)),
        };
        self.early = early.clamp(EARLY_MIN, EARLY_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;
    use rand::Rng;

    #[test]
    fn a_wait_never_ends_before_its_instant() {
        let mut waiter = Waiter::for_this_thread().expect("slack");
        for us in [0, 1, 5, 30, 100, 1_000] {
            let due = Instant::now() + Duration::from_micros(us);
            assert_eq!(waiter.wait(Some(due)), Woken::Due);
            assert!(Instant::now() >= due);
        }
    }

    #[test]
    fn a_call_before_the_wait_is_not_lost() {
        let mut waiter = Waiter::for_this_thread().expect("slack");
        waiter.waker().wake();
        waiter.waker().wake();
        assert_eq!(waiter.wait(None), Woken::Called);
        let due = Instant::now() + Duration::from_millis(1);
        assert_eq!(waiter.wait(Some(due)), Woken::Due);
    }

    #[test]
    fn a_call_ends_a_wait_without_end() {
        let mut waiter = Waiter::for_this_thread().expect("slack");
        let waker = waiter.waker();
        let caller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            waker.wake();
        });
        assert_eq!(waiter.wait(None), Woken::Called);
        caller.join().expect("caller");
    }

    #[test]
    fn the_margin_covers_all_but_one_in_a_thousand_wake_ups_and_is_bounded() {
        let mut waiter = Waiter::for_this_thread().expect("slack");
        // Wake-ups of 0 to 100 µs, one in two thousand of 4 ms: one in a thousand takes 99.95 µs or more.
        let mut stream = RootSeed(1).stream("wake-ups");
        let mut covered = 0;
        for i in 0..200_000 {
            let late = match i % 2_000 {
                0 => Duration::from_millis(4),
                _ => Duration::from_nanos(stream.next_u64() % 100_000),
            };
            covered += u32::from(i >= 100_000 && late <= waiter.early);
            waiter.learn(late);
        }
        assert!((99_850..99_950).contains(&covered), "{covered} of 100,000");
        for _ in 0..1_000 {
            waiter.learn(Duration::from_millis(4));
        }
        assert_eq!(waiter.early, EARLY_MAX);
        for _ in 0..100_000 {
            waiter.learn(Duration::ZERO);
        }
        assert_eq!(waiter.early, EARLY_MIN);
    }
}
