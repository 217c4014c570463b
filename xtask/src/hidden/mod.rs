//! Hidden drives measured and fitted in virtual time, with the truth beside what was found.

use anyhow::Context;
use clap::Args;
use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites;
use ftlab_fit::candidate::Candidate;
use ftlab_fit::judge::{Judged, median};
use ftlab_fit::steps::Effort;
use ftlab_fit::{Fitted, Request, fit, hidden};
use ftlab_lab::Lab;

/// Memory for drives and their copies.
const MEMORY_BYTES: u64 = 8 << 30;

/// Root of the streams of what is measured: another one than that of the fit.
const MEASURED: RootSeed = RootSeed(77);

#[derive(Debug, Args)]
pub struct Options {
    /// Seeds of the drives
    #[arg(required = true)]
    seeds: Vec<u64>,
    /// Try less, as `ftlab fit --quick`
    #[arg(long)]
    quick: bool,
}

pub fn command(options: &Options) -> anyhow::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let lab = Lab::new(threads, MEMORY_BYTES)?;
    let suite = suites::named("fit").map_err(anyhow::Error::msg)?;
    for &seed in &options.seeds {
        let hidden = hidden::drive(seed).with_context(|| format!("seed {seed}"))?;
        let subject = vec![hidden.truth.clone().into()];
        let review = Review::of(subject, suite.tests().collect(), MEASURED);
        let measured = review.results(&lab, &|_, _| Ok(()))?;
        let request = Request {
            measured: &measured,
            start: &hidden.start,
            suite: &suite,
            machine: None,
            seed: RootSeed(1),
            effort: if options.quick {
                Effort::Quick
            } else {
                Effort::Full
            },
        };
        let fitted = fit(&request, &lab, &|what, _| eprintln!("{seed}: {what}"))?;
        println!("{}", row(seed, &hidden, &fitted));
    }
    Ok(())
}

/// A drive in a paragraph: what was found over the truth, and what the fit is off by.
fn row(seed: u64, hidden: &hidden::Hidden, fitted: &Fitted) -> String {
    let truth = Candidate::of(&hidden.truth);
    let flash = |of: Option<u64>| of.unwrap_or_default() as f64;
    let raw = flash(fitted.file.raw_bytes()) / flash(hidden.truth.raw_bytes());
    let mut text = format!(
        "seed {seed}: {:?}, found {:?}; unknown: {}; flash {raw:.4}",
        truth.layout,
        fitted.candidate.layout,
        hidden.unknown.unwrap_or("none")
    );
    for of in fitted.found.iter().filter(|of| of.is_pinned()) {
        let share = truth.get(of.number).map_or(f64::NAN, |value| of.is / value);
        text += &format!(", {} {share:.3}", of.number.name());
    }
    for (name, judged) in [
        ("fitted", &fitted.fitted_to),
        ("held out", &fitted.held_out),
    ] {
        let worst = judged.iter().filter(|of| of.kind.is_firm());
        text += &format!(
            "; {name}: median {:.3}, worst {:.3}",
            median(judged.iter().map(Judged::error).collect()),
            worst.map(Judged::error).fold(0.0, f64::max)
        );
    }
    text
}
