//! A progress bar on standard error: only on a terminal, and only for what takes over a second.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const QUIET: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Steps of a bar that is told shares.
const SHARES: u64 = 1_000_000;

/// A bar that disappears when dropped.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    /// Closed when the work is done, which a bar not yet shown waits for.
    _done: Sender<()>,
}

impl Progress {
    /// Work that can only say what it does.
    pub fn spinner(message: &str) -> Self {
        let progress = Self::start(ProgressBar::no_length(), "{spinner} {msg} {elapsed}");
        progress.say(message);
        progress
    }

    /// Work of so many steps, once their number is known.
    pub fn bar() -> Self {
        Self::start(ProgressBar::new(0), "{bar:30} {pos}/{len} {elapsed} {msg}")
    }

    /// Work whose share that is done is known, and so the time it has left.
    pub fn shares() -> Self {
        let template = "{bar:30} {elapsed}, {left}: {msg}";
        Self::start(ProgressBar::new(SHARES), template)
    }

    fn start(bar: ProgressBar, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let left = |state: &ProgressState, to: &mut dyn Write| {
            let share = f64::from(state.fraction());
            let text = words(left(state.elapsed(), share));
            // Nobody can be told that a line of the screen cannot be written.
            let _ = to.write_str(&text);
        };
        bar.set_style(style.with_key("left", left));
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let (done, is_done) = channel();
        if std::io::stderr().is_terminal() {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if is_done.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Progress {
            bar,
            began: Instant::now(),
            _done: done,
        }
    }

    /// What is being done.
    pub fn say(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// How far it is.
    pub fn set(&self, done: usize, total: usize, message: &str) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.say(message);
    }

    /// How far work is whose share is known, 0 to 1.
    pub fn set_share(&self, share: f64, message: &str) {
        self.bar.set_position((share * SHARES as f64) as u64);
        self.say(message);
    }

    /// A line for a log, where no bar is: what has been done, and the time left.
    pub fn log(&self, what: &str) {
        if !std::io::stderr().is_terminal() {
            let share = self.bar.position() as f64 / SHARES as f64;
            let left = words(left(self.began.elapsed(), share));
            eprintln!("{what}; {left}");
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// How long the rest takes, if it takes as long as what is done did.
fn left(elapsed: Duration, share: f64) -> Option<Duration> {
    let rest = (1.0 - share) / share;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * rest.max(0.0)).ok()
}

fn words(left: Option<Duration>) -> String {
    match left {
        None => "time left not known yet".to_owned(),
        Some(left) if left.is_zero() => "done".to_owned(),
        Some(left) if left < Duration::from_secs(1) => "nearly done".to_owned(),
        Some(left) => format!("about {} left", HumanDuration(left)),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done_did() {
        let after = |share| left(Duration::from_secs(30), share);
        assert_eq!(after(0.25), Some(Duration::from_secs(90)));
        assert_eq!(after(1.0), Some(Duration::ZERO));
        assert_eq!(after(0.0), None);
        assert_eq!(words(after(0.25)), "about 2 minutes left");
        assert_eq!(words(after(0.99)), "nearly done");
        assert_eq!(words(after(1.0)), "done");
        assert_eq!(words(None), "time left not known yet");
    }
}
