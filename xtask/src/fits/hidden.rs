//! Hidden drives measured and fitted, with the truth beside what was found: in virtual time, or attached and by the clock.

use super::{Row, SEED, attached, followed, summary};
use crate::docs::lab;
use anyhow::{Context, Result, ensure};
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Suite};
use ftlab_drive::DriveFile;
use ftlab_fit::steps::Effort;
use ftlab_fit::target::Target;
use ftlab_fit::{Request, fit, hidden, truth};
use ftlab_lab::Lab;
use ftlab_result::ResultSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Root of the streams of what is measured: another one than that of the fit.
const MEASURED: RootSeed = RootSeed(77);

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo run --profile review -p xtask -- hidden 7
  cargo run --profile review -p xtask -- hidden {1..10} --keep target/hidden
  cargo run --profile review -p xtask -- hidden --of-today 3 --judge
  cargo run --profile review -p xtask -- hidden 1 --attached target/release/ftlab --keep target/attached

Each number stands as found over true. It has a ! behind it where no figure pinned what the tests of the true drive tell,
a ? where a figure pinned what they do not tell, and a - where neither is so.")]
pub struct Options {
    /// Seeds of the drives
    #[arg(required_unless_present = "of_today")]
    seeds: Vec<u64>,
    /// As many seeds more, by the date: others every day
    #[arg(long, value_name = "N", default_value_t = 0)]
    of_today: u64,
    /// Fail if a fit is further off what it did not see than it may be
    #[arg(long)]
    judge: bool,
    /// Try less, as `ftlab fit --quick`
    #[arg(long)]
    quick: bool,
    /// Attach slow drives by this ftlab and measure them by fio, on an idle machine
    #[arg(long, value_name = "FTLAB", requires = "keep")]
    attached: Option<PathBuf>,
    /// Keep the drives, what was measured and what was found of them; what is there already is not done again
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub fn command(options: &Options) -> Result<()> {
    let lab = lab()?;
    let mut rows = Vec::new();
    let mut seeds = options.seeds.clone();
    seeds.extend(of_today(options.of_today)?);
    for seed in seeds {
        let row = row_of(seed, options, &lab).with_context(|| format!("seed {seed}"))?;
        println!("{row}");
        rows.push(row);
    }
    println!("{}", summary(&rows));
    let far: Vec<String> = rows.iter().filter_map(Row::why_far).collect();
    ensure!(!options.judge || far.is_empty(), "{}", far.join("\n"));
    Ok(())
}

/// Seeds that the date gives, none of which is among those that the fit was made with.
fn of_today(count: u64) -> Result<impl Iterator<Item = u64>> {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let first = seconds / DAY * 1000;
    Ok(first..first + count)
}

fn row_of(seed: u64, options: &Options, lab: &Lab) -> Result<Row> {
    let folder = options.keep.as_ref();
    let folder = folder.map(|keep| keep.join(seed.to_string()));
    let kept = folder.as_ref().map(|folder| folder.join("row.json"));
    if let Some(kept) = kept.as_ref().filter(|kept| kept.exists()) {
        return Ok(serde_json::from_str(&fs::read_to_string(kept)?)?);
    }
    if let Some(folder) = &folder {
        fs::create_dir_all(folder)?;
    }
    let hidden = match options.attached {
        Some(_) => hidden::slow(seed),
        None => hidden::drive(seed),
    }?;
    let suite = match (&options.attached, &folder) {
        (Some(_), Some(folder)) => attached::suite(folder),
        _ => suites::named("fit").map_err(anyhow::Error::msg),
    }?;
    let measured = match folder
        .as_ref()
        .and_then(|folder| known(folder, &hidden.truth))
    {
        Some(known) => known,
        None => measured(options, &hidden.truth, &suite, lab, folder.as_deref())?,
    };
    if let Some(folder) = &folder {
        fs::write(folder.join("truth.toml"), hidden.truth.text())?;
        fs::write(folder.join("start.toml"), hidden.start.text())?;
        fs::write(folder.join("results.json"), serde_json::to_vec(&measured)?)?;
    }
    let target = Target::of(&measured)?;
    let request = Request {
        target: &target,
        start: &hidden.start,
        suite: &suite,
        machine: None,
        seed: SEED,
        effort: match options.quick {
            true => Effort::Quick,
            false => Effort::Full,
        },
    };
    let begun = Instant::now();
    let fitted = fit(&request, lab, &followed(&format!("seed {seed}")))?;
    let seconds = begun.elapsed().as_secs_f64();
    let told = truth::told(&request, lab, &hidden.truth);
    let row = Row::of(seed, &hidden, &fitted, &told, seconds);
    if let Some(kept) = kept {
        fs::write(kept, serde_json::to_vec_pretty(&row)?)?;
    }
    Ok(row)
}

/// What was measured of a drive before.
fn known(folder: &Path, drive: &DriveFile) -> Option<ResultSet> {
    let truth = fs::read_to_string(folder.join("truth.toml")).ok()?;
    let results = fs::read(folder.join("results.json")).ok()?;
    (truth == drive.text()).then(|| serde_json::from_slice(&results).ok())?
}

fn measured(
    options: &Options,
    drive: &DriveFile,
    suite: &Suite,
    lab: &Lab,
    folder: Option<&Path>,
) -> Result<ResultSet> {
    if let (Some(ftlab), Some(folder)) = (&options.attached, folder) {
        return attached::measured(ftlab, drive, folder);
    }
    let subject = vec![drive.clone().into()];
    let review = Review::of(subject, suite.tests().collect(), MEASURED);
    Ok(review.results(lab, &|_, _| Ok(()))?)
}
