//! Signs of life on standard error: a bar on a terminal, for what takes over a second, and elsewhere a line
//! every ten seconds. Neither with `--quiet`.

use crate::screen;
use clap::Args;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work that is done by then needs no bar.
const UNSEEN: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// From one line to the next.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Steps of a bar whose progress is a share of the whole.
const SHARES: u64 = 1_000_000;

/// Option that turns progress reports off.
#[derive(Debug, Clone, Copy, Args)]
pub struct Signs {
    /// Do not report progress on standard error
    #[arg(long)]
    quiet: bool,
}

impl Signs {
    /// Work that can only say what it does.
    pub fn spinner(self, message: &str) -> Progress {
        let progress = self.start(
            ProgressBar::no_length(),
            "{spinner} {msg} {elapsed} {prefix}",
        );
        progress.say(message);
        progress
    }

    /// Work of N steps, once their number is known.
    pub fn bar(self) -> Progress {
        self.start(ProgressBar::new(0), "{bar:30} {pos}/{len} {elapsed} {msg}")
    }

    /// Work whose share that is done is known, and so the time it has left.
    pub fn shares(self) -> Progress {
        let template = "{bar:30} {elapsed}, {left}: {msg}";
        self.start(ProgressBar::new(SHARES), template)
    }

    /// Something to know before the work begins.
    pub fn tell(self, text: &str) {
        if !self.quiet {
            screen::say(text);
        }
    }

    fn start(self, bar: ProgressBar, template: &str) -> Progress {
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        let left = |state: &ProgressState, to: &mut dyn Write| {
            let share = f64::from(state.fraction());
            let text = words(left(state.elapsed(), share));
            // Nobody can be told that a line of the screen cannot be written.
            let _ = to.write_str(&text);
        };
        bar.set_style(style.with_key("left", left));
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let manner = match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => Manner::Quiet,
            (false, true) => Manner::Bar,
            (false, false) => Manner::Lines,
        };
        let began = Instant::now();
        let now = Arc::new(Mutex::new(Now::default()));
        let (done, is_done) = channel::<()>();
        match manner {
            Manner::Quiet => {}
            Manner::Bar => {
                let bar = bar.clone();
                std::thread::spawn(move || {
                    if is_done.recv_timeout(UNSEEN) == Err(RecvTimeoutError::Timeout) {
                        bar.set_draw_target(ProgressDrawTarget::stderr());
                        bar.enable_steady_tick(TICK);
                    }
                });
            }
            Manner::Lines => {
                let now = Arc::clone(&now);
                std::thread::spawn(move || {
                    let mut pace = Pace::default();
                    let wait = |pace: &Pace| pace.next.saturating_sub(began.elapsed());
                    while is_done.recv_timeout(wait(&pace)) == Err(RecvTimeoutError::Timeout) {
                        let elapsed = began.elapsed();
                        if pace.is_due(elapsed) {
                            screen::say(&format!("{}\n", locked(&now).line(elapsed)));
                        }
                    }
                });
            }
        }
        Progress {
            bar,
            began,
            manner,
            now,
            _done: done,
        }
    }
}

/// Manner of reporting to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Bar,
    Lines,
    Quiet,
}

/// Time of the next line, since the work began.
#[derive(Debug)]
struct Pace {
    next: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { next: LINE_EVERY }
    }
}

impl Pace {
    /// Returns true if a line is due. Where several were, as after a sleep of the machine, it is one.
    fn is_due(&mut self, elapsed: Duration) -> bool {
        if elapsed < self.next {
            return false;
        }
        self.next = elapsed + LINE_EVERY;
        true
    }
}

/// The present work, and the advice that its first line has beside it.
#[derive(Debug, Default)]
struct Now {
    message: String,
    advice: Option<&'static str>,
}

impl Now {
    fn line(&mut self, elapsed: Duration) -> String {
        let (seconds, message) = (elapsed.as_secs(), &self.message);
        match self.advice.take() {
            None => format!("at work for {seconds} s: {message}"),
            Some(advice) => format!("at work for {seconds} s: {message} ({advice})"),
        }
    }
}

fn locked(now: &Mutex<Now>) -> MutexGuard<'_, Now> {
    // A thread that panicked left a message, and a message is all there is.
    now.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sign of life that disappears when dropped.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    manner: Manner,
    now: Arc<Mutex<Now>>,
    /// Closed when the work is done, which whoever tells of it waits for.
    _done: Sender<()>,
}

impl Progress {
    /// Sets the description of the present work.
    pub fn say(&self, message: &str) {
        locked(&self.now).message = message.to_owned();
        self.bar.set_message(message.to_owned());
    }

    /// Sets the description of the present work and the share of it that is done.
    pub fn say_share(&self, what: &str, share: Option<f64>) {
        match share {
            None => self.say(what),
            Some(share) => self.say(&format!("{what}, {:.0} % of it", 100.0 * share)),
        }
    }

    /// Sets advice on something quicker than the present work: on lines it is said once.
    pub fn advise(&self, advice: Option<&'static str>) {
        locked(&self.now).advice = advice;
        let words = advice.map(|advice| format!("({advice})"));
        self.bar.set_prefix(words.unwrap_or_default());
    }

    /// Reports `done` of `total` parts done.
    pub fn set(&self, done: usize, total: usize, message: &str) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(message.to_owned());
        locked(&self.now).message = format!("{done} of {total} done, {message}");
    }

    /// Reports the share of the work that is done, 0 to 1.
    pub fn set_share(&self, share: f64, message: &str) {
        self.bar.set_position((share * SHARES as f64) as u64);
        self.bar.set_message(message.to_owned());
        let left = words(left(self.began.elapsed(), share));
        let percent = 100.0 * share;
        locked(&self.now).message = format!("{percent:.0} %, {left}, last done {message}");
    }

    /// A line for a log, where no bar is: what has been done, and the time left.
    pub fn log(&self, what: &str) {
        if self.manner == Manner::Lines {
            let share = self.bar.position() as f64 / SHARES as f64;
            let left = words(left(self.began.elapsed(), share));
            screen::say(&format!("{what}; {left}\n"));
        }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the time for the rest, at the speed so far.
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

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

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

    #[test]
    fn a_line_is_due_every_ten_seconds_and_once_after_a_sleep() {
        let mut pace = Pace::default();
        let due: Vec<u64> = (0..35).filter(|&at| pace.is_due(s(at))).collect();
        assert_eq!(due, [10, 20, 30]);
        assert!(pace.is_due(s(75)));
        assert!(!pace.is_due(s(84)));
        assert!(pace.is_due(s(85)));
    }

    #[test]
    fn a_line_says_what_is_done_and_advises_once() {
        let progress = Signs { quiet: true }.spinner("preparing");
        progress.advise(Some("steady-fast is quicker"));
        let line = |at| locked(&progress.now).line(s(at));
        progress.say_share("preparing, steady: round 3 of 25 at most", Some(0.452));
        let first = line(10);
        assert_eq!(
            first,
            "at work for 10 s: preparing, steady: round 3 of 25 at most, 45 % of it (steady-fast is quicker)"
        );
        assert_eq!(
            line(20),
            "at work for 20 s: preparing, steady: round 3 of 25 at most, 45 % of it"
        );
        progress.set(3, 12, "cases");
        assert_eq!(line(30), "at work for 30 s: 3 of 12 done, cases");
        progress.set_share(1.0, "generic-mlc-8 A1");
        assert_eq!(
            line(40),
            "at work for 40 s: 100 %, done, last done generic-mlc-8 A1"
        );
    }
}
