//! Signals: stop when what is under way is done, stop at once, tell how it goes. The end of standard input may be one.

use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals as Caught;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Request of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// End the server in order as on SIGTERM, or at the end of standard input.
    Stop,
    /// Print how late answers have been, and go on (SIGUSR1).
    Tell,
}

/// Signals, as they come.
pub struct Signals {
    signals: mpsc::Receiver<Signal>,
    tell: mpsc::Sender<Signal>,
    /// True once a stop was requested.
    was_asked: Arc<AtomicBool>,
    /// True while the server waits for the next signal.
    is_waited_for: Arc<AtomicBool>,
}

fn failed(error: io::Error) -> Failure {
    Failure::Running(format!("cannot catch signals: {error}"))
}

impl Signals {
    /// Catches signals from now on. A second one that asks to stop, while nobody waits for one, ends the
    /// program at once.
    pub fn catch() -> Result<Signals, Failure> {
        let mut caught = Caught::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1]).map_err(failed)?;
        let (tell, signals) = mpsc::channel();
        let is_waited_for = Arc::new(AtomicBool::new(false));
        let was_asked = Arc::new(AtomicBool::new(false));
        let (is_awaited, asked, sender) = (
            Arc::clone(&is_waited_for),
            Arc::clone(&was_asked),
            tell.clone(),
        );
        let watch = move || {
            for signal in caught.forever() {
                let signal = match signal {
                    SIGUSR1 => Signal::Tell,
                    _ if asked.swap(true, Ordering::AcqRel)
                        && !is_awaited.load(Ordering::Acquire) =>
                    {
                        at_once()
                    }
                    _ => Signal::Stop,
                };
                // Whoever is told may be gone, as the program is about to be.
                let _ = sender.send(signal);
            }
        };
        let thread = thread::Builder::new().name("signals".into());
        thread.spawn(watch).map_err(failed)?;
        Ok(Signals {
            signals,
            tell,
            was_asked,
            is_waited_for,
        })
    }

    /// Takes the end of standard input for a wish to stop, unless there was one. A signal that follows is still the first.
    pub fn catch_end_of_input(&self) -> Outcome {
        let (asked, sender) = (Arc::clone(&self.was_asked), self.tell.clone());
        let watch = move || {
            // Input that cannot be read has ended, too.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            if !asked.load(Ordering::Acquire) {
                screen::say("standard input has ended, so the drive stops\n");
                let _ = sender.send(Signal::Stop);
            }
        };
        let thread = thread::Builder::new().name("input".into());
        thread.spawn(watch).map_err(failed)?;
        Ok(())
    }

    /// Waits for the next one.
    pub fn next(&self) -> Signal {
        self.wait(|signals| Some(signals.recv().unwrap_or(Signal::Stop)))
            .expect("a wait without end ends with a signal")
    }

    /// Waits so long for the next one.
    pub fn next_within(&self, span: Duration) -> Option<Signal> {
        self.wait(|signals| signals.recv_timeout(span).ok())
    }

    fn wait(&self, receive: impl Fn(&mpsc::Receiver<Signal>) -> Option<Signal>) -> Option<Signal> {
        self.is_waited_for.store(true, Ordering::Release);
        let signal = receive(&self.signals);
        self.is_waited_for.store(false, Ordering::Release);
        signal
    }
}

/// Ends the program as it is: to the drive, a power cut.
pub fn at_once() -> ! {
    std::process::exit(INTERRUPTED)
}
