//! The files that a suite's loads are read from: in the folder of the suite, or among those that come with ftlab.

use ftlab_play::embedded::{Embedded, JOBS, SCRIPTS, TRACES};
use ftlab_play::load::{Load, LoadError, What, mark_of_texts};
use ftlab_sheet::names::alike;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of a suite, if it has one, and every load that was read for it: once each.
#[derive(Debug, Default)]
pub struct Files {
    folder: Option<PathBuf>,
    read: BTreeMap<(Kind, String), Load>,
}

/// The kind of load that a file holds, which decides how it is read and how the files that come with ftlab end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Job,
    Script,
    Trace,
}

/// A file that was found.
struct Found {
    /// The file's name in errors, with its folder.
    file: String,
    text: String,
    /// Set if it comes with ftlab. The load then has the name that the command line has for it.
    is_ours: bool,
}

impl Files {
    /// Files are searched in a folder first.
    #[must_use]
    pub fn beside(folder: &Path) -> Files {
        Files {
            folder: Some(folder.to_owned()),
            read: BTreeMap::new(),
        }
    }

    /// The load of that file.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn load(&mut self, kind: Kind, name: &str) -> Result<Load, String> {
        let key = (kind, name.to_owned());
        if let Some(load) = self.read.get(&key) {
            return Ok(load.clone());
        }
        if self.read.keys().any(|(_, other)| other == name) {
            return Err(format!("{name} is named as loads of two kinds"));
        }
        let found = self.find(kind, name)?;
        let load = self.read_load(kind, name, &found);
        let load = load.map_err(|error| error.to_string())?;
        self.read.insert(key, load.clone());
        Ok(load)
    }

    fn find(&self, kind: Kind, name: &str) -> Result<Found, String> {
        if let Some(path) = self.folder.as_ref().map(|folder| folder.join(name))
            && path.exists()
        {
            let file = path.display().to_string();
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|error| format!("cannot read {file}: {error}"))?;
            return Ok(Found {
                file,
                text,
                is_ours: false,
            });
        }
        // The user's file goes first, so that a suite can put a load of its own in place of one of ftlab's.
        let (ours, extension) = kind.ours();
        let stem = name.strip_suffix(extension);
        if let Some((file, text)) = stem.and_then(|stem| ours.find(stem)) {
            return Ok(Found {
                file,
                text: text.to_owned(),
                is_ours: true,
            });
        }
        let names: Vec<String> = ours
            .names()
            .map(|name| format!("{name}{extension}"))
            .collect();
        let hint = match alike(name, names.iter().map(String::as_str)).as_slice() {
            [] => String::new(),
            near => format!("; did you mean {}?", near.join(" or ")),
        };
        let (what, beside) = match self.folder {
            Some(_) => ("beside this one, or of one", "the path of a file "),
            None => ("of one", "the name "),
        };
        Err(format!(
            "there is no {} `{name}`: write {beside}{what} that comes with ftlab{hint}",
            kind.word()
        ))
    }

    fn read_load(&self, kind: Kind, name: &str, found: &Found) -> Result<Load, LoadError> {
        let (text, file) = (found.text.as_str(), found.file.as_str());
        let texts = RefCell::new(BTreeMap::new());
        let what = match kind {
            Kind::Job => What::job(text, file)?,
            Kind::Script => {
                let scenario = self.folder.as_ref().map(|folder| folder.join(name));
                What::script(text, file, &|other| {
                    let found = script_beside(scenario.as_deref(), other)?;
                    let mut texts = texts.borrow_mut();
                    texts.insert(other.to_owned(), found.1.clone());
                    Some(found)
                })?
            }
            Kind::Trace => What::trace(text, file)?,
        };
        let mark = mark_of_texts(text, &texts.into_inner());
        Ok(match (found.is_ours, kind) {
            // Ours go by the names that they have on the command line.
            (true, Kind::Job) => Load::new(name, mark, what),
            (true, Kind::Script | Kind::Trace) => Load::new(stem(name), mark, what),
            (false, _) => Load::of_text(name, text, mark, what),
        })
    }
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Kind::Job => "job file",
            Kind::Script => "script",
            Kind::Trace => "trace",
        }
    }

    /// The files of this kind that come with ftlab, and their ending.
    const fn ours(self) -> (Embedded, &'static str) {
        match self {
            Kind::Job => (JOBS, ".fio"),
            Kind::Script => (SCRIPTS, ".toml"),
            Kind::Trace => (TRACES, ".toml"),
        }
    }
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".toml").unwrap_or(name)
}

/// The file and the text of a script that a scenario names: it lies beside the scenario's file, or comes with ftlab.
#[must_use]
pub fn script_beside(scenario: Option<&Path>, name: &str) -> Option<(String, String)> {
    let is_file_name = Path::new(name).file_name().is_some_and(|file| file == name);
    let beside = scenario.filter(|_| is_file_name);
    let text = beside.and_then(|path| {
        let path = path.with_file_name(format!("{name}.toml"));
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.display().to_string(), text))
    });
    text.or_else(|| {
        let (file, text) = SCRIPTS.find(name)?;
        Some((file, text.to_owned()))
    })
}

/// The file and the text of a load by its path, of which a relative one begins at a folder, or by its name, if it comes
/// with ftlab.
///
/// # Errors
/// Why there is none, in words.
pub fn text_of_load(folder: &Path, name: &str) -> Result<(String, String), String> {
    let path = folder.join(name);
    if path.exists() {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(&path);
        return match text {
            Ok(text) => Ok((file, text)),
            Err(error) => Err(format!(
                "cannot read {file}: {error}; give the file of a load"
            )),
        };
    }
    let kinds = [Kind::Job, Kind::Script, Kind::Trace].map(Kind::ours);
    for (ours, extension) in kinds {
        if let Some((file, text)) = ours.find(name.strip_suffix(extension).unwrap_or(name)) {
            return Ok((file, text.to_owned()));
        }
    }
    let names = kinds.iter().flat_map(|(ours, _)| ours.names());
    let hint = match alike(name, names).as_slice() {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    };
    Err(format!(
        "there is no file {}, and no load of that name comes with ftlab{hint}",
        path.display()
    ))
}
