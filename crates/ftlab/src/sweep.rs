//! `ftlab sweep`: every drive with every setting, load and seed of a grid, one row a run.

use crate::failure::{EXIT_INTERRUPTED, Failure, Outcome};
use crate::options::Machine;
use crate::progress::{Progress, Signs};
use crate::{files, memory, screen};
use clap::Args;
use ftlab_drive::Catalog;
use ftlab_lab::Lab;
use ftlab_states::watch::Stopped;
use ftlab_sweep::{Finished, Row, Share, Status, Store, Sweep, merge};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab sweep sweep.toml --out out/sweep
                                  start, or continue an earlier call
  ftlab sweep sweep.toml --shard 3/64 --out out/3
                                  one of 64 processes of a job array
  ftlab sweep --merge out/* --out out/all
                                  one table of all shards

A grid of 4 x 2 rows:
  drives = [\"generic-mlc-8\"]
  loads = [\"job.fio\"]
  seeds = 2
  state = \"steady-fast\"
  [set]
  spare.op = [0.07, 0.14, 0.28, 0.5]

The table is DIR/sweep.parquet. A row that is there already is not run again,
whichever grid it came from. A run that cannot be made is a row with a reason.
docs/guides/sweep.md lists everything that a grid may contain.")]
pub struct Options {
    /// The grid: a .toml file
    #[arg(
        required_unless_present = "merge",
        conflicts_with = "merge",
        value_name = "GRID"
    )]
    grid: Option<PathBuf>,
    /// Put the tables together that shards left in these directories, instead of running anything
    #[arg(long, num_args = 1.., value_name = "DIR")]
    merge: Vec<PathBuf>,
    /// Run the K-th of N shares of the rows
    #[arg(long, value_name = "K/N", conflicts_with = "merge")]
    shard: Option<String>,
    /// Directory of the rows
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    signs: Signs,
}

pub fn command(options: &Options, catalog: &Catalog) -> Outcome {
    let share = options
        .shard
        .as_deref()
        .map_or(Ok(Share::ALL), str::parse)?;
    let Some(path) = &options.grid else {
        return said(&merge(&options.merge, &options.out)?);
    };
    let text = files::read(path, "a grid, which is a .toml file")?;
    let sweep = files::guarded(path, || Ok(Sweep::parse(&text, path, catalog)?))?;
    // A share that is done is left alone: its store is not opened for writing.
    if Store::is_whole(&options.out, &sweep, share)? {
        let file = options.out.join(share.file());
        return screen::print(&format!("Every row is there already: {}\n", file.display()));
    }
    let store = Store::open(&options.out, &sweep)?;
    let units = sweep.missing(share, &|id| store.has(id));
    let total = sweep.rows_in(&units).len();
    let there = sweep.rows_of(share).len() - total;
    if there > 0 {
        options.signs.tell(&format!(
            "{there} rows are there already, {total} are to run\n"
        ));
    }
    if total > 0 {
        let session = Arc::new(Session {
            progress: options.signs.shares(),
            out: options.out.clone(),
            total,
            so_far: Mutex::new(SoFar {
                store: Some(store),
                done: 0,
                failure: None,
            }),
        });
        let handler = Arc::clone(&session);
        ctrlc::set_handler(move || handler.interrupt())
            .map_err(|error| Failure::Running(format!("cannot wait for Ctrl-C: {error}")))?;
        let lab = Lab::new(options.machine.threads(), options.machine.memory_bytes());
        let lab = lab.map_err(|error| Failure::Running(error.to_string()))?;
        memory::tell(options.signs, sweep.most_bytes(&units, &lab));
        let ran = sweep.run(&units, None, &lab, &|row| session.hear(row));
        session.progress.clear();
        let mut so_far = session.so_far();
        let store = so_far.store.take();
        ran.map_err(|_| so_far.failure.take().expect("nothing else ends a sweep"))?;
        let store = store.expect("it is there until the sweep is over");
        return said(&store.finish(&sweep, share)?);
    }
    said(&store.finish(&sweep, share)?)
}

/// Says what is there now.
fn said(finished: &Finished) -> Outcome {
    let count = |status| finished.count(status);
    let mut text = format!("{} rows are done", count(Status::Done));
    for (status, what) in [
        (Status::Refused, "cannot be"),
        (Status::Failed, "failed"),
        (
            Status::Skipped,
            "could not be made on this machine, and are tried again by the next call",
        ),
    ] {
        if count(status) > 0 {
            text += &format!(", {} {what}", count(status));
        }
    }
    text += &format!(": {}\n", finished.path.display());
    if finished.unsettled > 0 {
        text += &format!(
            "note: {} rows ended before garbage collection had settled (their column `settled` is no): in the steady state \
             their figures differ; state = \"steady-fast\" in the grid starts there\n",
            finished.unsettled
        );
    }
    if let Some((path, rows)) = &finished.aside {
        let path = path.display();
        text += &format!("{rows} rows of other grids are set aside: {path}\n");
    }
    screen::print(&text)?;
    let missing = [Status::Refused, Status::Failed, Status::Skipped].map(count);
    match missing.iter().sum() {
        0 => Ok(()),
        missing => Err(Failure::Running(format!(
            "{missing} of {} rows have no figures; the column {} of {} says why",
            missing + count(Status::Done),
            ftlab_sweep::REASON,
            finished.path.display()
        ))),
    }
}

/// A sweep under way.
struct Session {
    progress: Progress,
    out: PathBuf,
    total: usize,
    so_far: Mutex<SoFar>,
}

struct SoFar {
    /// None once nothing more is to be written.
    store: Option<Store>,
    done: usize,
    /// The error that keeps rows from being stored.
    failure: Option<Failure>,
}

impl Session {
    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        // What a thread that panicked left is still what was done.
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ctrl-C: writes what is done, and ends the program.
    fn interrupt(&self) -> ! {
        self.progress.clear();
        // Held to the end: nothing comes in while it is written.
        let mut so_far = self.so_far();
        let (done, total) = (so_far.done, self.total);
        if let Some(store) = &mut so_far.store {
            match store.flush() {
                Ok(()) => screen::say(&format!(
                    "interrupted: {done} of {total} rows are done and in {}; the same call goes on\n",
                    shown(&self.out)
                )),
                Err(error) => Failure::from(error).say(),
            }
        }
        std::process::exit(EXIT_INTERRUPTED)
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

impl Session {
    /// Takes a row that is done; ends the sweep once rows cannot be kept.
    fn hear(&self, row: Option<Row>) -> Result<(), Stopped> {
        let mut so_far = self.so_far();
        if let Some(row) = row {
            so_far.done += 1;
            let (done, total) = (so_far.done, self.total);
            let message = format!("{done} of {total} rows");
            self.progress
                .set_share(done as f64 / total as f64, &message);
            if let Some(store) = &mut so_far.store
                && let Err(error) = store.add(row)
            {
                so_far.failure = Some(error.into());
            }
        }
        match so_far.failure {
            Some(_) => Err(Stopped),
            None => Ok(()),
        }
    }
}
