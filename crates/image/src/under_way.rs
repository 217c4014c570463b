//! A checkpoint that a thread writes, and memory that a thread makes for the next one.

use crate::checkpoint::{CheckpointInfo, NewCheckpoint};
use crate::meta::DriveTime;
use crate::storage::Storage;
use ftlab_ftl::Room;
use std::io;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};

/// Memory for the next checkpoint.
#[derive(Debug, Default)]
pub(crate) enum NextRoom {
    /// No memory is needed.
    #[default]
    None,
    /// A thread makes it.
    Making(Receiver<Room>),
    /// The memory is there.
    Ready(Room),
}

/// Outcome of a checkpoint: if it stands, and then if the work behind it was done.
pub(crate) type Written = io::Result<io::Result<()>>;

/// A checkpoint that is being written.
#[derive(Debug)]
pub(crate) struct UnderWay {
    pub(crate) outcome: Receiver<(Written, CheckpointInfo)>,
    /// Time that it counts.
    pub(crate) counted: DriveTime,
    thread: Option<JoinHandle<()>>,
}

impl UnderWay {
    pub(crate) fn start(
        due: NewCheckpoint,
        mut storage: Box<dyn Storage>,
        counted: DriveTime,
    ) -> io::Result<UnderWay> {
        let (sender, outcome) = mpsc::sync_channel(1);
        let run = move || {
            let written = due.write(&mut *storage);
            let stands = due.info();
            // Giving the memory back takes the system long, too.
            drop(due);
            // Nobody looks any more once the drive was dropped.
            let _ = sender.send((written, stands));
        };
        let thread = thread::Builder::new().name("checkpoint".into());
        Ok(UnderWay {
            outcome,
            counted,
            thread: Some(thread.spawn(run)?),
        })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // It holds the file, and with that the lock on it, until it has ended.
        let thread = self.thread.take().expect("it is dropped once");
        let _ = thread.join();
    }
}
