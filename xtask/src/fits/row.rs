//! What came of a hidden drive: numbers found beside the truth, and the errors of the fit.

use ftlab_fit::Fitted;
use ftlab_fit::candidate::{Candidate, Layout};
use ftlab_fit::hidden::Hidden;
use ftlab_fit::judge::{Judged, median};
use ftlab_fit::truth::Identifiable;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// A number of a drive.
#[derive(Debug, Serialize, Deserialize)]
pub struct Found {
    pub name: String,
    pub truth: f64,
    pub found: f64,
    /// True if a fifth of it moves a figure of the true drive by more than 3 %.
    pub identifiable: bool,
    /// True if the fit says that a figure pins it.
    pub pinned: bool,
}

/// Errors of figures, as shares.
#[derive(Debug, Serialize, Deserialize)]
pub struct Errors {
    pub figures: usize,
    pub median: f64,
    /// The worst of rates, medians and amplification, and its test.
    pub worst: f64,
    pub worst_at: String,
}

impl Errors {
    fn of(judged: &[Judged]) -> Errors {
        let firm = judged.iter().filter(|of| of.kind.is_firm());
        let worst = firm.max_by(|one, other| one.error().total_cmp(&other.error()));
        Errors {
            figures: judged.len(),
            median: median(judged.iter().map(Judged::error).collect()),
            worst: worst.map_or(0.0, Judged::error),
            worst_at: worst.map_or_else(String::new, |of| {
                format!("{} of {}", of.place.metric, of.place.test)
            }),
        }
    }
}

/// A hidden drive.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    pub seed: u64,
    pub unknown: Option<String>,
    pub cache: bool,
    /// Channels, dies and planes.
    pub truth: [u32; 3],
    pub found: [u32; 3],
    /// True if half or twice as many channels move a figure by more than 3 %.
    pub channels_identifiable: bool,
    /// Bytes of flash found over those that there are.
    pub flash: f64,
    pub numbers: Vec<Found>,
    pub fitted: Errors,
    pub held_out: Errors,
    /// The misfit found, and that of the true drive.
    pub misfit: [f64; 2],
    pub seconds: f64,
    pub runs: u64,
}

fn counts(of: Layout) -> [u32; 3] {
    [of.channels, of.dies, of.planes]
}

impl Row {
    pub fn of(
        seed: u64,
        hidden: &Hidden,
        fitted: &Fitted,
        told: &Identifiable,
        seconds: f64,
    ) -> Row {
        let truth = Candidate::of(&hidden.truth);
        let flash = |of: Option<u64>| of.unwrap_or_default() as f64;
        let numbers = fitted.found.iter().filter_map(|of| {
            let of_truth = told.numbers.iter().find(|told| told.number == of.number)?;
            Some(Found {
                name: of.number.name().to_owned(),
                truth: of_truth.is,
                found: of.is,
                identifiable: of_truth.is_pinned(),
                pinned: of.is_pinned(),
            })
        });
        Row {
            seed,
            unknown: hidden.unknown.map(str::to_owned),
            cache: hidden.truth.cache_bytes().is_some_and(|bytes| bytes > 0),
            truth: counts(truth.layout),
            found: counts(fitted.candidate.layout),
            channels_identifiable: told.channels,
            flash: flash(fitted.file.raw_bytes()) / flash(hidden.truth.raw_bytes()),
            numbers: numbers.collect(),
            fitted: Errors::of(&fitted.fitted_to),
            held_out: Errors::of(&fitted.held_out),
            misfit: [fitted.misfit, told.misfit],
            seconds,
            runs: fitted.runs,
        }
    }
}

/// The most that figures which a fit did not see may be off by: the median where all is known, the worst firm one, and the median
/// where a mechanism is not known.
const MEDIAN: f64 = 0.05;
const WORST: f64 = 0.20;
const MEDIAN_UNKNOWN: f64 = 0.15;

impl Row {
    /// How the fit is further off what it did not see than it may be.
    pub fn why_far(&self) -> Option<String> {
        let [median, worst] = match self.unknown {
            None => [MEDIAN, WORST],
            Some(_) => [MEDIAN_UNKNOWN, f64::INFINITY],
        };
        let is_far = self.held_out.median > median || self.held_out.worst > worst;
        is_far.then(|| {
            format!(
                "seed {}: held out: median {:.3}, at most {median}; worst {:.3} ({}), at most {worst}",
                self.seed, self.held_out.median, self.held_out.worst, self.held_out.worst_at
            )
        })
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "seed {}: {:?} found {:?}{}, {}; {}; flash {:.4}",
            self.seed,
            self.truth,
            self.found,
            if self.channels_identifiable {
                ""
            } else {
                " (channels hidden)"
            },
            if self.cache { "cache" } else { "no cache" },
            self.unknown.as_deref().unwrap_or("all known"),
            self.flash
        )?;
        for of in &self.numbers {
            let mark = match (of.identifiable, of.pinned) {
                (true, true) => "",
                (true, false) => "!",
                (false, true) => "?",
                (false, false) => "-",
            };
            write!(f, ", {} {:.3}{mark}", of.name, of.found / of.truth)?;
        }
        for (name, errors) in [("fitted", &self.fitted), ("held out", &self.held_out)] {
            write!(
                f,
                "; {name}: median {:.3}, worst {:.3} ({})",
                errors.median, errors.worst, errors.worst_at
            )?;
        }
        write!(
            f,
            "; misfit {:.0} for {:.0}; {:.0} s, {} runs",
            self.misfit[0], self.misfit[1], self.seconds, self.runs
        )
    }
}

/// The share of a drive's flash within which it is found.
const FLASH: f64 = 0.01;
/// The share of a read's and a program's time.
const TIMES: f64 = 0.10;

/// What came of all drives, in a line each.
pub fn summary(rows: &[Row]) -> String {
    let known: Vec<&Row> = rows.iter().filter(|row| row.unknown.is_none()).collect();
    let of = |name: &'static str| {
        let numbers = known.iter().flat_map(|row| &row.numbers);
        let numbers = numbers.filter(move |of| of.name == name && of.identifiable);
        numbers.map(|of| (of.found / of.truth - 1.0).abs())
    };
    let within = |errors: &mut dyn Iterator<Item = f64>, share: f64| {
        let errors: Vec<f64> = errors.collect();
        let good = errors.iter().filter(|error| **error <= share).count();
        format!("{good} of {}", errors.len())
    };
    let all: Vec<&Found> = rows.iter().flat_map(|row| &row.numbers).collect();
    let identifiable = all.iter().filter(|of| of.identifiable).count();
    let flash = known.iter().filter(|row| {
        row.numbers
            .iter()
            .any(|of| of.name == "spare" && of.identifiable)
    });
    let layout = |n: usize| {
        let asked = known
            .iter()
            .filter(|row| n > 0 || row.channels_identifiable);
        let asked: Vec<&&Row> = asked.collect();
        let good = asked
            .iter()
            .filter(|row| row.truth[n] == row.found[n])
            .count();
        format!("{good} of {}", asked.len())
    };
    let mut text = format!(
        "identifiable: {identifiable} of {} numbers\nflash within 1 %: {}\n",
        all.len(),
        within(&mut flash.map(|row| row.flash - 1.0).map(f64::abs), FLASH),
    );
    for name in [
        "nand.t_read",
        "nand.t_program",
        "slc.t_read",
        "slc.t_program",
    ] {
        text += &format!("{name} within 10 %: {}\n", within(&mut of(name), TIMES));
    }
    for (n, name) in ["channels", "dies", "planes"].iter().enumerate() {
        text += &format!("{name} exact: {}\n", layout(n));
    }
    for (name, is_known) in [("all known", true), ("unknown mechanism", false)] {
        let rows = rows.iter().filter(|row| row.unknown.is_none() == is_known);
        let (medians, worst): (Vec<f64>, Vec<f64>) = rows
            .map(|row| (row.held_out.median, row.held_out.worst))
            .unzip();
        let worst_median = medians.iter().copied().fold(0.0, f64::max);
        text += &format!(
            "{name}: held out: median of medians {:.3}, worst median {worst_median:.3}; worst figure: median {:.3}, within {:.0} %: {}\n",
            median(medians),
            median(worst.clone()),
            100.0 * WORST,
            within(&mut worst.into_iter(), WORST)
        );
    }
    text
}
