//! What is to be predicted: a data sheet with the figures that are asked for.

use super::ForecastError;
use super::kind::Kind;
use crate::calibrate::Sheet;
use crate::suites::{Files, KindOfLoad};
use ftlab_lab::Outcome;
use ftlab_lab::fill_metrics;
use ftlab_play::load::Load;
use ftlab_result::Run;
use ftlab_result::quantity::{self, OfKind};
use ftlab_states::State;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// Nanoseconds of a microsecond, and bytes of a megabyte.
const NS_A_US: f64 = 1e3;
const BYTES_A_MB: f64 = 1e6;

/// A figure that is asked for: a table `[[predict]]` of a sheet.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The job file, by its path from the sheet's folder or by the name of one that comes with ftlab.
    pub job: String,
    /// The state that the drive begins in.
    #[serde(default = "as_new")]
    pub state: State,
    /// The figure, such as `read.iops`, `write.p99` or `slc_gb`.
    pub metric: String,
    /// The job of the file whose figure it is; none for all together.
    pub of: Option<String>,
    /// The machine; none for one of the drive's time.
    pub testbed: Option<String>,
    /// True where the page that the sheet was written from shows the figure, too.
    #[serde(default)]
    pub input_shows: bool,
    /// The id of the figure in `reference/modern.csv`, of a drive that is known.
    pub known: Option<String>,
}

const fn as_new() -> State {
    State::New
}

/// A sheet and what is asked of its drive.
#[derive(Debug)]
pub struct Request {
    /// The name of its file, without what it ends in: the drive's in predictions.
    pub slug: String,
    pub(super) sheet: Sheet,
    /// The figures.
    pub asked: Vec<Asked>,
    /// The load of each.
    pub(super) loads: Vec<Load>,
}

impl Request {
    /// Reads a sheet at a path.
    ///
    /// # Errors
    /// When it is none, asks for nothing, or asks for what cannot be.
    pub fn parse(path: &Path, text: &str) -> Result<Request, ForecastError> {
        let name = |part: Option<&std::ffi::OsStr>| {
            part.map_or_else(String::new, |part| part.to_string_lossy().into_owned())
        };
        let (source, slug) = (name(path.file_name()), name(path.file_stem()));
        let wrong = |why: &str| ForecastError::Input(format!("{source}: {why}"));
        let sheet = Sheet::parse(&source, text)?;
        let Some(given) = sheet.predict() else {
            return Err(wrong(
                "it asks for no figure: add some such as [[predict]] job = \"nvme-randread-4k-qd1.fio\", metric = \"read.iops\"",
            ));
        };
        let asked: Vec<Asked> = (given.clone().try_into())
            .map_err(|error: toml::de::Error| wrong(&format!("predict: {}", error.message())))?;
        let mut files = Files::beside(path.parent().unwrap_or(Path::new("")));
        let mut ids = BTreeSet::new();
        let mut loads = Vec::new();
        for one in &asked {
            if !quantity::is_known(&one.metric) && OfKind::of(&one.metric).is_none() {
                return Err(wrong(&format!(
                    "predict: metric: `{}` is no figure of a run; give one such as read.iops, write.p99, mean_mb_s or slc_gb",
                    one.metric
                )));
            }
            let load = files.load(KindOfLoad::Job, &one.job);
            loads.push(load.map_err(|why| wrong(&format!("predict: job: {why}")))?);
            if !ids.insert(one.id(&slug)) {
                return Err(wrong(&format!(
                    "predict: {} is asked for twice",
                    one.id(&slug)
                )));
            }
        }
        Ok(Request {
            slug,
            sheet,
            asked,
            loads,
        })
    }
}

impl Request {
    /// The class of the drive.
    #[must_use]
    pub fn class(&self) -> &'static str {
        self.sheet.class.name()
    }
}

impl Asked {
    /// The name of the test: that of its job file.
    #[must_use]
    pub fn test(&self) -> String {
        let stem = Path::new(&self.job).file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// The id of the figure of a drive.
    #[must_use]
    pub fn id(&self, slug: &str) -> String {
        format!(
            "{slug}:{}:{}:{}",
            self.test(),
            self.state.name(),
            self.metric
        )
    }

    /// Its unit, and how many of the run's own that is.
    fn scale(&self) -> (&'static str, f64) {
        match OfKind::of(&self.metric) {
            Some((_, OfKind::Iops)) => ("IOPS", 1.0),
            Some((_, OfKind::BytesPerS)) => ("MB/s", BYTES_A_MB),
            Some(_) => ("µs", NS_A_US),
            None => (quantity::unit(&self.metric), 1.0),
        }
    }

    /// Its unit.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.scale().0
    }

    /// The figure of an outcome; none if that has none.
    pub(super) fn value(&self, outcome: &Outcome) -> Option<f64> {
        let mut run = outcome.run.clone();
        run.metrics
            .extend(outcome.fill.iter().flat_map(fill_metrics));
        if let Some(of) = &self.of {
            let job = run.jobs.iter().find(|job| job.name == *of)?.clone();
            run = Run {
                read: job.read,
                write: job.write,
                ..run
            };
        }
        Some(quantity::value(&run, &self.metric, None)? / self.scale().1)
    }

    /// What it tells of a drive.
    pub(super) fn kind(&self, load: &Load) -> Option<Kind> {
        Some(Kind::of(load.job_file()?, self.state, &self.metric))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = "schema = 1\nkind = \"sheet\"\nname = \"X\"\nclass = \"data-centre\"\nflash = \"TLC\"\n\
                         capacity = \"1920 GB\"\nport = \"pcie4x4\"\n[announced]\nsequential_writes = \"2000 MB/s\"\n";

    fn parse(predict: &str) -> Result<Request, String> {
        Request::parse(Path::new("none/x-1920.toml"), &format!("{SHEET}{predict}"))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_request_names_its_figures() {
        let request = parse(
            "[[predict]]\njob = \"nvme-randread-4k-qd1.fio\"\nstate = \"filled\"\nmetric = \"read.mean\"\n\
             [[predict]]\njob = \"nvme-randread-4k-qd1.fio\"\nmetric = \"read.iops\"\n",
        )
        .expect("it can be read");
        let [one, other] = &request.asked[..] else {
            panic!("two")
        };
        assert_eq!(
            one.id(&request.slug),
            "x-1920:nvme-randread-4k-qd1:filled:read.mean"
        );
        assert_eq!((one.unit(), other.unit()), ("µs", "IOPS"));
        assert_eq!(other.state, State::New);
    }

    #[test]
    fn what_cannot_be_asked_is_refused_with_the_way_out() {
        let with = |predict: &str| parse(predict).map(|_| ()).unwrap_err();
        assert!(with("").contains("x-1920.toml: it asks for no figure: add some such as"));
        let row = "[[predict]]\njob = \"nvme-randread-4k-qd1.fio\"\nmetric = \"read.iops\"\n";
        assert!(with(&format!("{row}{row}")).contains("asked for twice"));
        assert!(
            with("[[predict]]\njob = \"nvme-randread-4k-qd1.fio\"\nmetric = \"iopses\"\n")
                .contains("`iopses` is no figure of a run; give one such as")
        );
        assert!(with("[[predict]]\njob = \"no-such\"\nmetric = \"iops\"\n").contains("job: "));
        assert!(with("[[predict]]\njob = \"a\"\nmetrics = \"iops\"\n").contains("predict: "));
    }
}
