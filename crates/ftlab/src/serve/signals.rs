//! Signals: stop when what is under way is done, stop at once, tell how it goes.

use crate::failure::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals as Caught;
use std::sync::mpsc;
use std::thread;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// To stop.
    Stop,
    /// To say how it goes.
    Tell,
}

/// Signals, as they come.
pub struct Signals(mpsc::Receiver<Signal>);

impl Signals {
    /// Catches signals from now on. The second that asks to stop ends the program at once.
    pub fn catch() -> Result<Signals, Failure> {
        let failed =
            |error: std::io::Error| Failure::Running(format!("cannot catch signals: {error}"));
        let mut caught = Caught::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1]).map_err(failed)?;
        let (tell, signals) = mpsc::channel();
        let watch = move || {
            let mut is_stopping = false;
            for signal in caught.forever() {
                let signal = match signal {
                    SIGUSR1 => Signal::Tell,
                    _ if std::mem::replace(&mut is_stopping, true) => std::process::exit(INTERRUPTED),
                    _ => Signal::Stop,
                };
                // Whoever is told may be gone, as the program is about to be.
                let _ = tell.send(signal);
            }
        };
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(watch).map_err(failed)?;
        Ok(Signals(signals))
    }

    /// Waits for the next one.
    pub fn next(&self) -> Signal {
        self.0.recv().unwrap_or(Signal::Stop)
    }
}
