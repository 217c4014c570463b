//! `ftlab crash`: whether what clients wrote survives a power cut at any instant. States that one could have left are
//! drawn from a crash log, and each is given to a checker.

mod checker;
mod file_system;
mod groups;
mod leftovers;
mod process;
mod recording;
mod report;
mod scratch;
mod shrink;
mod states;

use super::tools;
use checker::Checker;
use clap::Args;
use file_system::{FileSystem, MOUNT};
use ftlab_console::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use ftlab_console::files::{self, NewFile};
use ftlab_console::machine;
use ftlab_console::options::{self, OutputFormat};
use ftlab_console::progress::Signs;
use ftlab_console::screen;
use ftlab_image::CrashLog;
use recording::RecordOptions;
use scratch::Scratch;
use shrink::Smallest;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use states::{At, Name, TestedState};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab serve --drive generic-mlc-8 --image db.img --crash-log db.crash \\
      --timing off --daemon       record what is written, with its data
  ftlab mark db.img 'row 17 is committed'
                                  note how far a program has come
  ftlab crash db.crash            show what a log holds
  ftlab crash db.crash --check './check.sh {}' --states 1000
                                  check 1000 states that a power cut could leave
  ftlab crash db.crash --check './check.sh {}' --state 8127@1044
                                  check one of them again
  ftlab crash db.crash --state 8127@1044 --keep state.img
                                  save that state as a file
  sudo ftlab crash --run './prog {mount}' --fs ext4 --check './check {mount}'
                                  run a program on a drive with a file system,
                                  then check states of that

The checker is a shell command. It gets the state as a file that it may change.
{} is replaced by the path of the file; without {} the path comes last. The
environment has the path too (FTLAB_STATE), the text of the last mark before the
cut (FTLAB_MARK), and the time of the cut in nanoseconds since 1970
(FTLAB_CUT_NS). The exit code is 0 if the state is sound. 126 and 127 mean that
the checker could not be started.

With --fs a state is a drive with that file system. It is mounted, the checker
gets the folder in place of {mount}, or last, and a state that does not mount
fails. With --run the command runs on a mounted drive first and its writes are
the log. Its environment has the drive (FTLAB_DISK): what the program promises
from now on is noted by ftlab mark \"$FTLAB_DISK\" TEXT. Mounting needs root.")]
pub struct Options {
    /// A log that `ftlab serve --crash-log` has written; with --run, where to write it, by default ftlab.crash
    #[arg(required_unless_present = "run")]
    log: Option<PathBuf>,
    #[command(flatten)]
    record: RecordOptions,
    /// The file system that states have; --run makes it
    #[arg(long, value_name = "FS", value_parser = options::choice(FileSystem::NAMED))]
    fs: Option<FileSystem>,
    /// Command that checks a state; without it, the content of the log is shown
    #[arg(long, value_name = "CMD")]
    check: Option<String>,
    /// How many states to draw
    #[arg(long, value_name = "N", default_value = "200", value_parser = at_least_one)]
    states: NonZeroUsize,
    /// When the power goes: at random instants, before random flushes, before all flushes in turn, or at instants by
    /// number
    #[arg(long, value_name = "random|flush|all|N,N", default_value = "random", value_parser = states::at)]
    at: At,
    /// Root of every random stream: the same seed draws the same states
    #[arg(long, default_value_t = options::SEED, allow_negative_numbers = true, value_parser = options::seed)]
    seed: u64,
    /// Try one state, by its name
    #[arg(long, value_name = "SEED@INSTANT", conflicts_with_all = ["states", "at", "seed"], value_parser = states::name)]
    state: Option<Name>,
    /// Checkers at a time; by default as many as there are cores
    #[arg(long, value_name = "N", value_parser = options::threads)]
    jobs: Option<usize>,
    /// A state whose checker takes longer fails
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = tools::time)]
    timeout: Duration,
    /// Where the smallest state that fails is kept; LOG.failed if left out
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Write a verdict on each state as JUnit's XML
    #[arg(long, value_name = "FILE", requires = "check")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    signs: Signs,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// The log of `--run` if no name is given.
const LOG: &str = "ftlab.crash";

/// Results of the tested states.
struct Trial {
    tried: Vec<TestedState>,
    smallest: Option<Smallest>,
    kept: PathBuf,
}

/// Reads how many states there are to be.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "give a whole number, 1 or more".to_owned())
}

impl Options {
    fn log(&self) -> &Path {
        self.log.as_deref().unwrap_or(Path::new(LOG))
    }

    fn keep(&self) -> PathBuf {
        self.keep.clone().unwrap_or_else(|| {
            let mut kept = self.log().as_os_str().to_owned();
            kept.push(".failed");
            PathBuf::from(kept)
        })
    }

    fn jobs(&self) -> usize {
        let most = self.fs.map_or(usize::MAX, FileSystem::checkers_max);
        self.jobs.unwrap_or_else(machine::cores).min(most)
    }

    /// The command that checks a state, which a file system is mounted for at `folder`.
    fn checker(&self, check: &str, folder: &Path) -> String {
        match self.fs {
            None => check.to_owned(),
            Some(fs) => fs.checker(check, folder),
        }
    }

    /// Refuses options that would have no effect, or no meaning.
    fn check_words(&self) -> Result<(), Failure> {
        let check = self.check.as_deref();
        let wrong = |why: &str| Err(Failure::Input(why.to_owned()));
        match (self.fs, check) {
            (Some(_), None) if self.record.run.is_none() => {
                wrong("--fs says what a checker's state has; give --check, or --run")
            }
            (Some(_), Some(check)) if check.contains("{}") => wrong(
                "with --fs a state is mounted: write {mount}, the folder, in place of {}, its file",
            ),
            (None, Some(check)) if check.contains(MOUNT) => {
                wrong("--check has {mount}, so say with --fs which file system the states have")
            }
            _ => Ok(()),
        }
    }

    /// The states to try.
    fn names(&self, log: &CrashLog) -> Result<Vec<Name>, Failure> {
        match self.state {
            Some(name) if name.point > log.summary().points => Err(Failure::Input(format!(
                "there is no state {name}: {} has {} instants",
                self.log().display(),
                log.summary().points
            ))),
            Some(name) => Ok(vec![name]),
            None => states::drawn(log, &self.at, self.seed, self.states.get()),
        }
    }
}

/// Draws states from a crash log as `ftlab crash`, has a checker judge each, and reports the verdicts.
///
/// # Errors
/// When the log or the options are wrong, the checker cannot be relied upon, or a state fails.
pub fn command(options: &Options) -> Outcome {
    options.check_words()?;
    let is_interrupted = Arc::new(AtomicBool::new(false));
    if let (Some(command), Some(fs)) = (&options.record.run, options.fs) {
        record(options, command, fs, &is_interrupted)?;
    }
    let log = {
        let _told = options.signs.spinner("reading the log");
        files::guarded(options.log(), || Ok(CrashLog::open(options.log())?))?
    };
    // Without a checker there is nothing to test: the log is described, or one state of it written.
    let Some(check) = &options.check else {
        return match options.state {
            Some(name) => write_state(options, &log, name),
            None => report::log(options.log(), &log, options.output_format),
        };
    };
    let keep = NewFile::ready(&options.keep(), "--keep")?;
    let junit = options.junit.as_deref();
    let junit = junit
        .map(|path| NewFile::ready(path, "--junit"))
        .transpose()?;
    let names = options.names(&log)?;
    notice_signals(&is_interrupted)?;
    let scratch = Scratch::new()?;
    let checker = Checker::new(
        &options.checker(check, &scratch.folder("mnt")?),
        options.timeout,
        log.header().began_unix_ns,
        Arc::clone(&is_interrupted),
    );
    let progress = options.signs.bar();
    let tried = states::try_all(&log, &names, &checker, &scratch, options.jobs(), &progress);
    let first = tried
        .as_ref()
        .ok()
        .and_then(|tried| tried.iter().find(|tried| !tried.passes()));
    let smallest = first.map(|first| {
        progress.say("looking for the smallest that fails");
        shrink::smallest(&log, first.name, &checker, &scratch, &keep)
    });
    progress.clear();
    drop(scratch);
    if is_interrupted.load(Ordering::Relaxed) {
        screen::say("interrupted: no checker runs any more, and nothing is left of the states\n");
        std::process::exit(EXIT_INTERRUPTED);
    }
    let trial = Trial {
        smallest: smallest.transpose()?,
        tried: tried?,
        kept: options.keep(),
    };
    if let Some(file) = junit {
        file.write(report::junit(options.log(), &trial).as_bytes())?;
    }
    report::trial(options, &log, &trial)?;
    match trial.tried.iter().filter(|tried| !tried.passes()).count() {
        0 => Ok(()),
        failed => Err(Failure::Verdict(format!(
            "{failed} of {} states fail",
            trial.tried.len()
        ))),
    }
}

/// Records the log of a program on a new drive; ends this program if somebody interrupts it.
fn record(
    options: &Options,
    command: &str,
    fs: FileSystem,
    is_interrupted: &Arc<AtomicBool>,
) -> Outcome {
    notice_signals(is_interrupted)?;
    let told = options.signs.spinner("the program runs on the drive");
    let recorded = (options.record).record(command, fs, options.log(), is_interrupted)?;
    drop(told);
    if recorded.is_none() {
        screen::say("interrupted: the program of --run was ended, and nothing was checked\n");
        std::process::exit(EXIT_INTERRUPTED);
    }
    Ok(())
}

/// Has Ctrl-C and its like set the flag. Whoever works looks at it and ends what it has started, so that nothing is left
/// behind.
fn notice_signals(is_interrupted: &Arc<AtomicBool>) -> Outcome {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(is_interrupted))
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
    }
    Ok(())
}

/// Writes a state to a file.
fn write_state(options: &Options, log: &CrashLog, name: Name) -> Outcome {
    options.names(log)?;
    let path: &Path = &options.keep.clone().ok_or_else(|| {
        Failure::Input(
            "say with --check what to do with the state, or with --keep where to put it".into(),
        )
    })?;
    let keep = NewFile::ready(path, "--keep")?;
    let scratch = Scratch::new()?;
    let mut replay = log.replay(scratch.file("newest")?)?;
    replay.go_to(name.point)?;
    let state = replay.cut(name.seed)?;
    scratch::keep(
        &keep,
        replay.newest(),
        &state.lost.iter().collect::<Vec<_>>(),
    )?;
    screen::print(&report::state(path, log, &state))
}
