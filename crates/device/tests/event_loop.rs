//! A simulator with an event queue of its own, whose node keeps a log on a drive and loses its power.

use ftlab_device::{Command, Completion, Device, Error};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const RECORD: u64 = 4096;

/// A node that appends a record each 100 us, and answers its client when the drive has written it.
struct Node {
    drive: Device,
    written: u64,
    answered: u64,
    flushes: bool,
}

impl Node {
    fn append(&mut self, now_ns: u64) -> Result<(), Error> {
        let record = vec![self.written as u8 + 1; RECORD as usize];
        let write = Command::write(2 * self.written, self.written * RECORD, RECORD);
        self.written += 1;
        self.drive.submit_write(write, &record, now_ns)
    }

    fn ended(&mut self, end: Completion) -> Result<(), Error> {
        match self.flushes && end.id.is_multiple_of(2) {
            true => self.drive.submit(Command::flush(end.id + 1), end.at_ns),
            false => {
                self.answered = self.answered.max(end.id / 2 + 1);
                Ok(())
            }
        }
    }
}

/// Records that were answered for and the drive has not after a power cut at `cut_ns`.
fn lost(flushes: bool, seed: u64, cut_ns: u64) -> Result<u64, Error> {
    let builder = Device::named("samsung-980-pro-1000").shrink_to(3 << 30);
    let drive = builder.keep_data().build()?;
    let mut node = Node {
        drive,
        written: 0,
        answered: 0,
        flushes,
    };
    // The simulator's own events: here, when the node appends.
    let mut events: BinaryHeap<Reverse<u64>> = (0..100).map(|n| Reverse(n * 100_000)).collect();
    let mut done = Vec::new();
    loop {
        let own = events.peek().map_or(u64::MAX, |&Reverse(at)| at);
        let drives = node.drive.next_event().unwrap_or(u64::MAX);
        let next = own.min(drives);
        if next >= cut_ns {
            break;
        }
        if drives <= own {
            node.drive.advance(drives, &mut done);
            done.drain(..).try_for_each(|end| node.ended(end))?;
        } else {
            events.pop();
            node.append(own)?;
        }
    }
    node.drive.power_cut(cut_ns, seed)?;
    let mut record = vec![0; RECORD as usize];
    let mut lost = 0;
    for n in 0..node.answered {
        node.drive.read(n * RECORD, &mut record)?;
        lost += u64::from(record[0] != n as u8 + 1);
    }
    Ok(lost)
}

#[test]
fn a_log_that_is_not_flushed_loses_what_it_answered_for() {
    let of = |flushes: bool| -> u64 {
        let cuts = (0..50).map(|seed| lost(flushes, seed, 5_000_000 + 37_000 * seed));
        cuts.map(|lost| lost.expect("every call is right")).sum()
    };
    assert_eq!(of(true), 0);
    assert!(of(false) > 0);
}
