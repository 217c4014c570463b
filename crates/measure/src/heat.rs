//! A limit of temperature: work on a drive that reaches it pauses until the drive has cooled down.

use crate::health::Monitor;
use crate::stop::Stop;
use rustix::process::Signal;
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Degrees below the limit at which a drive goes on, so that it does not stop and go.
pub const COOLER_BY: i32 = 5;

/// Time between two looks at the temperature.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A limit, and what looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Heat<'a> {
    /// Asks the drive.
    pub monitor: &'a Monitor,
    /// Degrees Celsius from which work pauses.
    pub limit_celsius: i32,
    /// Time between two looks.
    pub look_every: Duration,
}

/// What ends or pauses a program at work.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// Ends it.
    pub stop: &'a Stop,
    /// Pauses it.
    pub heat: Option<Heat<'a>>,
}

impl<'a> Watch<'a> {
    /// Only ends it.
    #[must_use]
    pub fn of(stop: &'a Stop) -> Watch<'a> {
        Watch { stop, heat: None }
    }

    /// Waits for a program, and says for how long it was paused.
    ///
    /// # Errors
    /// When the system does not wait for it.
    pub(crate) fn while_at_work(&self, child: &mut Child) -> io::Result<(ExitStatus, Duration)> {
        let Some(heat) = self.heat else {
            return Ok((self.stop.while_at_work(child)?, Duration::ZERO));
        };
        std::thread::scope(|scope| {
            let (ended, ends) = channel();
            let watcher = scope.spawn(move || heat.pauses(self.stop, &ends));
            let status = self.stop.while_at_work(child);
            drop(ended);
            let paused = watcher
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((status?, paused))
        })
    }
}

impl Heat<'_> {
    /// The temperature, if work is to pause from now on.
    #[must_use]
    pub fn is_reached(&self) -> Option<i32> {
        let celsius = self.monitor.ask().celsius();
        celsius.filter(|celsius| *celsius >= self.limit_celsius)
    }

    /// Returns true if work may go on. A drive that does not say its temperature any more has an error to show.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let celsius = self.monitor.ask().celsius();
        celsius.is_none_or(|celsius| celsius <= self.limit_celsius - COOLER_BY)
    }

    /// Pauses a program whenever the limit is reached, until it ends.
    fn pauses(&self, stop: &Stop, ends: &Receiver<()>) -> Duration {
        let mut paused = Duration::ZERO;
        let is_at_work = || ends.recv_timeout(self.look_every) == Err(RecvTimeoutError::Timeout);
        while is_at_work() {
            if self.is_reached().is_none() {
                continue;
            }
            stop.signal(Signal::STOP);
            // A program that is to end must not wait.
            while !stop.is_called() && is_at_work() {
                paused += self.look_every;
                if self.is_over() {
                    break;
                }
            }
            stop.signal(Signal::CONT);
        }
        paused
    }
}
