//! A load in fio's words, as sections of options: read from a job file or from fio's command line, written as either.

use super::command_line;
use super::engines;
use super::error::JobError;
use super::ini::{self, Section};
use super::keys;
use super::words;

/// Sections of options, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections {
    /// What messages call the file.
    pub(super) file: String,
    pub(super) sections: Vec<Section>,
}

/// What one option of a load does to a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Where it stands.
    pub at: String,
    /// The option as written.
    pub option: String,
    /// What comes of it.
    pub effect: Effect,
}

/// What comes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It does this.
    Does(&'static str),
    /// It does nothing, because of this.
    Nothing(&'static str),
    /// A load with it is refused, because of this.
    Refused(&'static str),
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
        })
    }

    /// Reads arguments of fio: `--name=a --rw=read …`.
    ///
    /// # Errors
    /// The first argument that is no option, or none of a job.
    pub fn of_arguments(arguments: &[String]) -> Result<Sections, JobError> {
        command_line::sections(arguments)
    }

    /// The same as a job file.
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

    /// The same as arguments of fio.
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

    /// What each option does to a modelled drive.
    #[must_use]
    pub fn effects(&self) -> Vec<Told> {
        let options = self.sections.iter().flat_map(|section| &section.options);
        let told = |option: &ini::Entry| Told {
            at: option.at.to_string(),
            option: option.to_string(),
            effect: effect(option),
        };
        options.map(told).collect()
    }
}

fn effect(option: &ini::Entry) -> Effect {
    let key = option.key.as_str();
    if key == "ioengine"
        && let Some(why) = engines::refusal(option.value.as_deref().unwrap_or_default())
    {
        return Effect::Refused(why);
    }
    let known = words::find(key).map(|word| Effect::Does(word.does));
    known
        .or_else(|| keys::ignored(key).map(Effect::Nothing))
        .or_else(|| keys::unsupported(key).map(Effect::Refused))
        .unwrap_or(Effect::Refused("fio has no such option"))
}
