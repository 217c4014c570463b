//! A progress bar on standard error: only on a terminal, and only for what takes over a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

const QUIET: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A bar that disappears when dropped.
pub struct Progress {
    bar: ProgressBar,
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

    fn start(bar: ProgressBar, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        bar.set_style(style);
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
        Progress { bar, _done: done }
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
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
