//! A thread that hands items over at their instants.

use super::{Waiter, Waker, Woken};
use ftlab_base::{LatencyHistogram, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use std::vec::Drain;

/// An item that waits for its instant. Among items of one instant the first given leaves first.
struct Entry<T> {
    due: Instant,
    number: u64,
    item: T,
}

impl<T> Entry<T> {
    fn key(&self) -> (Instant, u64) {
        (self.due, self.number)
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

struct Agenda<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    numbers: u64,
    closing: bool,
    /// Instant at which the thread looks next; none while it waits for a call.
    next_look: Option<Instant>,
}

struct Shared<T> {
    agenda: Mutex<Agenda<T>>,
    lateness: Mutex<LatencyHistogram>,
}

/// Hands items over at given instants, on a thread of its own.
pub struct Pacer<T> {
    shared: Arc<Shared<T>>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Pacer<T> {
    /// A pacer that calls `hand_over` with the items that are due, most often one. The next wait for
    /// the call to end, so it must be short.
    ///
    /// # Errors
    /// When there is no thread to be had, or it cannot set its timer slack.
    pub fn new(hand_over: impl Fn(Drain<'_, T>) + Send + 'static) -> std::io::Result<Pacer<T>> {
        let shared = Arc::new(Shared {
            agenda: Mutex::new(Agenda {
                heap: BinaryHeap::new(),
                numbers: 0,
                closing: false,
                next_look: None,
            }),
            lateness: Mutex::default(),
        });
        let (ready, started) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("pacer".into()).spawn({
            let shared = Arc::clone(&shared);
            move || match Waiter::for_this_thread() {
                Ok(waiter) => {
                    let _ = ready.send(Ok(waiter.waker()));
                    run(&shared, waiter, &hand_over);
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        })?;
        let waker = started.recv().map_err(std::io::Error::other)??;
        Ok(Pacer {
            shared,
            waker,
            thread: Some(thread),
        })
    }

    /// Hands `item` over at `due`, or at once if that has passed.
    pub fn schedule(&self, due: Instant, item: T) {
        let mut agenda = self
            .shared
            .agenda
            .lock()
            .expect("no panic holds the agenda");
        let number = agenda.numbers;
        agenda.numbers += 1;
        agenda.heap.push(Reverse(Entry { due, number, item }));
        // A call costs both threads microseconds, so only what is due before the next look calls.
        let is_first = agenda.next_look.is_none_or(|look| due < look);
        drop(agenda);
        if is_first {
            self.waker.wake();
        }
    }

    /// Lateness of items: time from the instant that was asked for until `hand_over` was called.
    #[must_use]
    pub fn lateness(&self) -> LatencyHistogram {
        let lateness = self.shared.lateness.lock();
        lateness.expect("no panic holds the histogram").clone()
    }
}

fn run<T>(shared: &Shared<T>, mut waiter: Waiter, hand_over: &impl Fn(Drain<'_, T>)) {
    let (mut dues, mut items) = (Vec::new(), Vec::new());
    loop {
        let due = {
            let mut agenda = shared.agenda.lock().expect("no panic holds the agenda");
            let due = agenda.heap.peek().map(|Reverse(first)| first.due);
            if agenda.closing && due.is_none() {
                return;
            }
            agenda.next_look = due;
            due
        };
        if waiter.wait(due) == Woken::Called {
            continue;
        }
        let now = Instant::now();
        {
            let mut agenda = shared.agenda.lock().expect("no panic holds the agenda");
            // The thread looks at the agenda again before it waits, so until then nobody need call.
            agenda.next_look = Some(now);
            while let Some(first) = agenda.heap.peek_mut().filter(|first| first.0.due <= now) {
                let Reverse(Entry { due, item, .. }) = PeekMut::pop(first);
                dues.push(due);
                items.push(item);
            }
        }
        let leaving = Instant::now();
        hand_over(items.drain(..));
        let mut lateness = shared
            .lateness
            .lock()
            .expect("no panic holds the histogram");
        for due in dues.drain(..) {
            let late = leaving.saturating_duration_since(due).as_nanos();
            lateness.record(Nanos(u64::try_from(late).unwrap_or(u64::MAX)));
        }
    }
}

impl<T> Drop for Pacer<T> {
    /// Hands over what is left, each at its instant, and ends the thread.
    fn drop(&mut self) {
        if let Ok(mut agenda) = self.shared.agenda.lock() {
            agenda.closing = true;
        }
        self.waker.wake();
        let thread = self.thread.take();
        // An item may own what owns the pacer, and the thread cannot wait for itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id())
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn items_leave_in_the_order_of_their_instants_and_none_early() {
        let (sender, receiver) = mpsc::channel();
        let pacer = Pacer::new(move |items: Drain<'_, (u64, Instant)>| {
            let now = Instant::now();
            items.for_each(|item| sender.send((item, now)).expect("receiver"));
        })
        .expect("a thread");
        let start = Instant::now() + Duration::from_millis(20);
        // Each comes before the one given just before it, so each ends a wait already begun.
        for us in [900, 500, 100, 700, 300, 300] {
            let due = start + Duration::from_micros(us);
            pacer.schedule(due, (us, due));
        }
        drop(pacer);
        let mut left = Vec::new();
        for ((us, due), at) in receiver {
            assert!(at >= due, "{us} left early");
            left.push(us);
        }
        assert_eq!(left, [100, 300, 300, 500, 700, 900]);
    }

    #[test]
    fn an_item_that_is_past_due_leaves_at_once_and_is_counted_as_late() {
        let (sender, receiver) = mpsc::channel();
        let pacer = Pacer::new(move |items: Drain<'_, ()>| {
            items.for_each(|()| sender.send(()).expect("receiver"));
        })
        .expect("a thread");
        let far = Instant::now() + Duration::from_millis(200);
        pacer.schedule(far, ());
        let past = Instant::now().checked_sub(Duration::from_millis(5));
        pacer.schedule(past.expect("a clock that runs for some time"), ());
        receiver.recv().expect("the item past due");
        assert!(Instant::now() < far, "it waited for the other");
        receiver.recv().expect("the other item");
        assert!(pacer.lateness().max() >= Nanos::from_millis(5));
    }
}
