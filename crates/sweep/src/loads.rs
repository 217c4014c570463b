//! Loads of a sweep: each with all the texts that decide its requests.
//!
//! Nothing of the machine gets into one: a job file that asks for a variable or the number of processors is refused, for
//! its rows would not be the same elsewhere.

use crate::SweepError;
use crate::keys::{LoadText, Named};
use ftlab_bench::suites::{script_beside, text_of_load};
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_workload::trace::Trace;
use std::cell::RefCell;
use std::path::Path;

/// A load that was read, and its texts.
#[derive(Debug)]
pub struct ReadLoad {
    /// What runs.
    pub load: Load,
    /// All that decides its requests.
    pub texts: LoadText,
}

/// What a load is called where something is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// By its name: why a run failed is part of a row, and the same wherever the load lies.
    ByName,
    /// By the place that it was read from.
    ByPlace,
}

/// Reads a load. Paths are relative to `folder`, and the name of one that comes with ftlab will do; `file` names the
/// grid, or whoever asks, in errors.
///
/// # Errors
/// When there is none, or it is none.
pub fn read_load(
    named: &Named<LoadText>,
    folder: &Path,
    clock: Clock,
    file: &str,
    called: Called,
) -> Result<ReadLoad, SweepError> {
    let wrong = |why: String| SweepError::Grid {
        file: file.to_owned(),
        why,
    };
    let (shown, mut texts) = match named {
        Named::Text(texts) => (texts.name.clone(), texts.clone()),
        Named::Name(name) => {
            let (shown, text) = text_of_load(folder, name).map_err(wrong)?;
            let stem = Path::new(name).file_stem().unwrap_or_default();
            let texts = LoadText {
                name: stem.to_string_lossy().into_owned(),
                text,
                scripts: Default::default(),
            };
            (shown, texts)
        }
    };
    let named_scripts = RefCell::new(std::mem::take(&mut texts.scripts));
    let library = |script: &str| {
        if let Some(text) = named_scripts.borrow().get(script) {
            return Some((script.to_owned(), text.clone()));
        }
        let beside = match named {
            Named::Name(name) => folder.join(name),
            Named::Text(_) => folder.join(script),
        };
        let (path, text) = script_beside(Some(&beside), script)?;
        named_scripts
            .borrow_mut()
            .insert(script.to_owned(), text.clone());
        Some((path, text))
    };
    let is_named_so = shown.ends_with(".toml");
    let text = texts.text.as_str();
    let name = match called {
        Called::ByName => texts.name.clone(),
        Called::ByPlace => shown,
    };
    let what = match is_named_so || is_toml(text) {
        false => What::job(text, &name),
        true if Trace::is_one(text) => What::trace(text, &name),
        true => What::script(text, &name, &library),
    };
    let what = what.map_err(|error| SweepError::Load {
        file: file.to_owned(),
        error: Box::new(error),
    })?;
    texts.scripts = named_scripts.into_inner();
    if let What::Job(file) = &what
        && let Some(job) = file.jobs.iter().find(|job| job.replay.file.is_some())
    {
        return Err(wrong(format!(
            "{}: job `{}` replays a trace, whose requests are in no text; leave out read_iolog",
            texts.name, job.name
        )));
    }
    if clock == Clock::Untimed && !matches!(what, What::Job(_)) {
        return Err(wrong(format!(
            "{}: a {} has no meaning without a clock; leave out untimed",
            texts.name,
            what.word()
        )));
    }
    Ok(ReadLoad {
        load: Load::of_text(name, &texts.text, what),
        texts,
    })
}

/// Whether a text is TOML of ftlab's own, as scripts and traces are: a job file begins with a section.
fn is_toml(text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    table.is_ok_and(|table| table.contains_key("schema"))
}
