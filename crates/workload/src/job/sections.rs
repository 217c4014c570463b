//! A load in fio's words, as sections of options: read from a job file or from fio's command line, written as either.

use super::command_line;
use super::engines;
use super::error::JobError;
use super::file::{self, Ignored};
use super::ini::{self, Section};
use super::keys;
use super::program::{self, Becomes};
use super::surroundings::Surroundings;
use super::words;
use std::borrow::Cow;

/// Sections of options, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections {
    /// Name of the file in messages.
    pub(super) file: String,
    pub(super) sections: Vec<Section>,
    /// Options of fio's program that have no effect.
    pub(super) ignored: Vec<Ignored>,
}

/// Effect of one option of a load on a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Place of the option.
    pub at: String,
    /// The option as written.
    pub option: String,
    /// Effect of the option.
    pub effect: Effect,
}

/// Effect of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It has this effect.
    Does(&'static str),
    /// It does nothing, because of this.
    Nothing(&'static str),
    /// A load with it is refused, because of this.
    Refused(Cow<'static, str>),
}

impl Sections {
    /// Reads a job file. `file` names it in messages.
    ///
    /// # Errors
    /// The first line that is neither a section, an option nor a comment.
    pub fn of_text(text: &str, file: &str) -> Result<Sections, JobError> {
        Ok(Sections {
            file: file.to_owned(),
            sections: ini::sections(text, file)?,
            ignored: Vec::new(),
        })
    }

    /// Reads arguments of fio: `--name=a --rw=read …`.
    ///
    /// # Errors
    /// The first argument that is no option, or none of a job.
    pub fn of_arguments(arguments: &[String]) -> Result<Sections, JobError> {
        command_line::sections(arguments)
    }

    /// Returns the sections as a job file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for section in &self.sections {
            if !text.is_empty() {
                text += "\n";
            }
            text += &format!("[{}]\n", section.name);
            for option in &section.options {
                text += &option.to_string();
                text += "\n";
            }
        }
        text
    }

    /// Returns the sections as arguments of fio.
    #[must_use]
    pub fn to_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        for section in &self.sections {
            // What stands before the first job is global; later globals are named.
            let is_first = arguments.is_empty() && section.is_global();
            if !is_first {
                arguments.push(format!("--name={}", section.name));
            }
            let options = section.options.iter();
            arguments.extend(options.map(|option| format!("--{option}")));
        }
        arguments
    }

    /// Keeps no other jobs than those of these names; what is global stays.
    ///
    /// # Errors
    /// When a name is that of no job.
    pub fn only(mut self, names: &[String]) -> Result<Sections, JobError> {
        let jobs = self.sections.iter().filter(|section| !section.is_global());
        let known: Vec<String> = jobs.map(|section| section.name.clone()).collect();
        if let Some(missing) = names.iter().find(|name| !known.contains(name)) {
            return Err(JobError::NoSuchJob {
                file: self.file,
                name: missing.clone(),
                known: known.join(", "),
            });
        }
        self.sections
            .retain(|section| section.is_global() || names.contains(&section.name));
        Ok(self)
    }

    /// Returns true if there is a job.
    #[must_use]
    pub fn has_jobs(&self) -> bool {
        self.sections.iter().any(|section| !section.is_global())
    }

    /// Returns what is global before the first job: of fio's command line, it holds for job files as well where they
    /// say nothing else.
    #[must_use]
    pub fn defaults(&self) -> Sections {
        let globals = self.sections.iter().take_while(|one| one.is_global());
        Sections {
            file: self.file.clone(),
            sections: globals.cloned().collect(),
            ignored: self.ignored.clone(),
        }
    }

    /// Puts defaults before the sections, which hold where the sections say nothing else.
    #[must_use]
    pub fn behind(mut self, defaults: &Sections) -> Sections {
        self.sections
            .splice(..0, defaults.sections.iter().cloned())
            .for_each(drop);
        self.ignored.extend(defaults.ignored.iter().cloned());
        self
    }

    /// Returns the effect of each option on a modelled drive, or the reason why jobs with it are refused: what a run of
    /// them would say.
    #[must_use]
    pub fn effects(&self, machine: &Surroundings<'_>) -> Vec<Told> {
        // Options of fio's program, of which those that are refused have no sections.
        let of_program = self.ignored.iter().map(|of| Told {
            at: of.at.to_string(),
            option: of.key.clone(),
            effect: Effect::Nothing(of.reason),
        });
        let options = self.sections.iter().flat_map(|section| &section.options);
        let of_jobs = options.map(|option| Told {
            at: option.at.to_string(),
            option: option.to_string(),
            effect: effect(&option.key),
        });
        let mut told: Vec<Told> = of_program.chain(of_jobs).collect();
        let mut note = |at: &str, effect: Effect| {
            if let Some(told) = told.iter_mut().find(|told| told.at == at) {
                told.effect = effect;
            }
        };
        let (ignored, refused) = file::faults(self, machine);
        for of in ignored {
            note(&of.at.to_string(), Effect::Nothing(of.reason));
        }
        for (at, why) in refused {
            note(&at.to_string(), Effect::Refused(why.into()));
        }
        told
    }
}

/// Returns the effect of an option if nothing is wrong with its value and with the others.
fn effect(key: &str) -> Effect {
    let known = words::find(key).map(|word| Effect::Does(word.does));
    known
        .or_else(|| keys::ignored(key).map(Effect::Nothing))
        .unwrap_or(Effect::Refused("fio has no such option".into()))
}

/// An option of fio's, and what becomes of it whatever its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its main name, then its others.
    pub names: Vec<&'static str>,
    /// Effect of the option.
    pub effect: Effect,
}

/// Every option of fio's, of jobs and of the program.
#[must_use]
pub fn described() -> Vec<Described> {
    let mut all: Vec<Described> = words::all()
        .map(|word| Described {
            names: word.names.to_vec(),
            effect: Effect::Does(word.does),
        })
        .collect();
    let mut push = |name, effect| {
        all.push(Described {
            names: vec![name],
            effect,
        });
    };
    // The order is that of the page: words, keys without effect, refused keys, options of the program.
    for (why, names) in keys::IGNORED {
        names
            .iter()
            .for_each(|name| push(name, Effect::Nothing(why)));
    }
    for (why, names) in keys::UNSUPPORTED {
        names
            .iter()
            .for_each(|name| push(name, Effect::Refused((*why).into())));
    }
    for option in program::OPTIONS {
        let effect = match option.becomes {
            Becomes::Done => Effect::Does("`ftlab run --help` says it"),
            Becomes::Nothing(why) => Effect::Nothing(why),
            Becomes::Refused(why) => Effect::Refused(why.into()),
        };
        push(option.name, effect);
    }
    all
}

/// Every engine of fio's, and what becomes of a job with it.
#[must_use]
pub fn known_engines() -> Vec<(&'static str, Effect)> {
    let block = engines::BLOCK.iter();
    let block = block.map(|name| {
        (
            *name,
            Effect::Does("all engines for block devices run alike"),
        )
    });
    let others = engines::OTHERS.iter();
    let others = others.flat_map(|(why, names)| {
        let refused = move |name: &&'static str| (*name, Effect::Refused((*why).into()));
        names.iter().map(refused)
    });
    block.chain(others).collect()
}
