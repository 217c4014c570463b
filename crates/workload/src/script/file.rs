//! Reads scripts and scenarios, and checks what the schema cannot.

use super::quantity::{Sectors, Share};
use super::schema::{PhaseKeys, ProcessKeys, SCHEMA, ScenarioFile, ScriptFile};
use super::steps::CLUSTER_SECTORS;
use super::{Phase, Process, Scenario, Script, ScriptError, Transfer};
use ftlab_base::Nanos;
use ftlab_base::amount::grouped;
use std::collections::BTreeMap;
use toml::Spanned;

/// Pauses shorter than this are not noticed by somebody who watches; a scenario may say another.
const PAUSE: Nanos = Nanos::from_secs(1);

/// The largest request: 16 MiB, so that its sectors fit every drive's command.
pub(crate) const BLOCK_SECTORS_MAX: u64 = 32_768;

/// The most requests outstanding: what SATA queues.
pub(crate) const DEPTH_MAX: u32 = 32;

/// The most files side by side: more than a client's drive has.
const FILES_MAX: u64 = 10_000_000;

/// The most requests of a phase or a trace, in each direction. A million of them take a second or two.
pub(crate) const REQUESTS_MAX: u64 = 1_000_000_000;

/// The text of the script called so: its file's name and content.
pub type Library<'a> = &'a dyn Fn(&str) -> Option<(String, String)>;

/// A text and its name, for errors.
pub struct Text<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Contents of the file.
    pub text: &'a str,
}

impl Text<'_> {
    /// The error at a place.
    pub fn error<T>(&self, at: &Spanned<T>, why: impl Into<String>) -> ScriptError {
        ScriptError::at(self.file, self.text, at.span().start, why)
    }

    /// Reads it as TOML.
    ///
    /// # Errors
    /// When it is none, a key is unknown or missing, or a value of another kind.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, ScriptError> {
        toml::from_str(self.text).map_err(|e| ScriptError::of_toml(self.file, self.text, &e))
    }

    pub(crate) fn check_schema(&self, schema: &Spanned<u32>) -> Result<(), ScriptError> {
        match *schema.get_ref() {
            SCHEMA => Ok(()),
            other => Err(self.error(schema, format!("schema {other}: write schema = {SCHEMA}"))),
        }
    }
}

impl Script {
    /// Reads a script. `file` names it in errors.
    ///
    /// # Errors
    /// When the text is no TOML, a key is unknown or missing, or a value impossible.
    pub fn parse(text: &str, file: &str) -> Result<Script, ScriptError> {
        let source = Text { file, text };
        let parsed: ScriptFile = source.parse()?;
        source.check_schema(&parsed.schema)?;
        let phases: Result<Vec<Phase>, ScriptError> = parsed
            .phase
            .iter()
            .map(|keys| phase(&source, &parsed, keys))
            .collect();
        let phases = phases?;
        if phases.is_empty() {
            return Err(source.error(&parsed.schema, "a script needs a [[phase]]"));
        }
        Ok(Script {
            file: file.to_owned(),
            name: parsed.name,
            summary: parsed.summary,
            testbed: parsed.testbed,
            phases,
        })
    }
}

impl Scenario {
    /// Reads a scenario, or a script as a scenario of one process. Scripts that it names come from
    /// `library`.
    ///
    /// # Errors
    /// When either text is wrong, or a script is not in the library.
    pub fn parse(text: &str, file: &str, library: Library<'_>) -> Result<Scenario, ScriptError> {
        let source = Text { file, text };
        let table: toml::Table = source.parse()?;
        if !table.contains_key("process") {
            return Script::parse(text, file).map(Scenario::of_script);
        }
        let parsed: ScenarioFile = source.parse()?;
        source.check_schema(&parsed.schema)?;
        let mut processes: Vec<Process> = Vec::new();
        for keys in parsed.process.get_ref() {
            let next = process(&source, keys, library)?;
            if processes.iter().any(|other| other.name == next.name) {
                let why = format!("two processes are called `{}`", next.name);
                return Err(source.error(keys, why));
            }
            processes.push(next);
        }
        if processes.iter().all(|process| process.background) {
            let why = "somebody must be waited for: leave `background` out of one process";
            return Err(source.error(&parsed.process, why));
        }
        Ok(Scenario {
            name: parsed.name,
            summary: parsed.summary,
            testbed: parsed.testbed,
            pause: parsed.pause.map_or(PAUSE, |span| span.0),
            processes,
        })
    }

    fn of_script(script: Script) -> Scenario {
        Scenario {
            name: script.name.clone(),
            summary: script.summary.clone(),
            testbed: script.testbed.clone(),
            pause: PAUSE,
            processes: vec![Process {
                name: "program".to_owned(),
                start: Nanos::ZERO,
                background: false,
                script,
            }],
        }
    }
}

fn process(
    source: &Text<'_>,
    keys: &Spanned<ProcessKeys>,
    library: Library<'_>,
) -> Result<Process, ScriptError> {
    let given = keys.get_ref();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if given.name.is_empty() || !given.name.chars().all(is_plain) {
        let why = format!(
            "`{}` is no name of a process: it becomes part of names of figures, so write small \
             letters, digits and _",
            given.name
        );
        return Err(source.error(keys, why));
    }
    let name = given.script.get_ref();
    let Some((file, text)) = library(name) else {
        let why = format!(
            "there is no script `{name}`: write the name of a file NAME.toml beside this one, or of \
             a script that comes with ftlab"
        );
        return Err(source.error(&given.script, why));
    };
    Ok(Process {
        name: given.name.clone(),
        start: given.start.map_or(Nanos::ZERO, |span| span.0),
        background: given.background,
        script: Script::parse(&text, &file)?,
    })
}

fn phase(
    source: &Text<'_>,
    script: &ScriptFile,
    keys: &Spanned<PhaseKeys>,
) -> Result<Phase, ScriptError> {
    let given = keys.get_ref();
    let read = given.read.as_ref().map(|read| {
        let what = (&read.files, &read.amount, &read.blocks, read.sequential);
        transfer(source, script, what)
    });
    let write = given.write.as_ref().map(|write| {
        let what = (&write.files, &write.amount, &write.blocks, write.sequential);
        transfer(source, script, what)
    });
    // A check has no files of its own: it reads those that the phase writes.
    let check = match (&given.check, &given.write) {
        (Some(check), Some(write)) => {
            let what = (&write.files, &check.amount, &check.blocks, check.sequential);
            Some(transfer(source, script, what)?)
        }
        (Some(check), None) => {
            let why = "a check reads again what the phase writes: give it write";
            return Err(source.error(&check.amount, why));
        }
        (None, _) => None,
    };
    if read.is_none() && write.is_none() && given.cpu.is_none() && given.think.is_none() {
        let why = "a phase does something: give it read, write, cpu or think";
        return Err(source.error(keys, why));
    }
    let depth = given.depth.as_ref().map_or(1, |depth| *depth.get_ref());
    if let Some(at) = &given.depth
        && !(1..=DEPTH_MAX).contains(&depth)
    {
        return Err(source.error(at, format!("depth must be 1 to {DEPTH_MAX}")));
    }
    let ahead = given.ahead.as_ref();
    if let Some(at) = ahead.filter(|blocks| !(depth - 1..=DEPTH_MAX).contains(blocks.get_ref())) {
        let why = format!(
            "ahead must be {} to {DEPTH_MAX}: of the {depth} requests outstanding one is the block at work",
            depth - 1
        );
        return Err(source.error(at, why));
    }
    let compress = given
        .write
        .as_ref()
        .and_then(|w| w.buffer_compress_percentage.as_ref());
    if let Some(at) = compress.filter(|percent| *percent.get_ref() > 100) {
        return Err(source.error(at, "buffer_compress_percentage must be 0 to 100"));
    }
    Ok(Phase {
        think: given.think.map_or(Nanos::ZERO, |span| span.0),
        cpu: given.cpu.map_or(Nanos::ZERO, |span| span.0),
        read: read.transpose()?,
        write: write.transpose()?,
        check,
        through: given
            .write
            .as_ref()
            .is_some_and(|w| w.through == Some(true)),
        depth,
        ahead: ahead.map_or(depth - 1, |blocks| *blocks.get_ref()),
        buffer_compress_percentage: compress.map(|percent| *percent.get_ref()),
    })
}

type TransferParts<'a> = (
    &'a Spanned<String>,
    &'a Spanned<Sectors>,
    &'a Spanned<BTreeMap<String, u32>>,
    Option<Share>,
);

fn transfer(
    source: &Text<'_>,
    script: &ScriptFile,
    (name, amount, blocks, sequential): TransferParts<'_>,
) -> Result<Transfer, ScriptError> {
    let Some(files) = script.files.get(name.get_ref()) else {
        let known: Vec<&str> = script.files.keys().map(String::as_str).collect();
        let why = format!(
            "there are no files `{}`; there are: {}",
            name.get_ref(),
            known.join(", ")
        );
        return Err(source.error(name, why));
    };
    let size = files.size.get_ref().0;
    if size == 0 {
        return Err(source.error(&files.size, "files have a size above 0"));
    }
    let count = files.count.as_ref().map_or(1, |count| *count.get_ref());
    if let Some(at) = files.count.as_ref()
        && !(1..=FILES_MAX).contains(&count)
    {
        let why = format!(
            "a count of {count} files: from 1 to {} are",
            grouped(FILES_MAX)
        );
        return Err(source.error(at, format!("{why} allowed")));
    }
    // A file system gives files whole clusters, so no two files share one.
    if files.at.get_ref().0 % CLUSTER_SECTORS != 0 {
        let why = "files begin at clusters: `at` must be a multiple of 4 KiB, such as \"20 GiB\"";
        return Err(source.error(&files.at, why));
    }
    let moved = amount.get_ref().0;
    if moved == 0 {
        return Err(source.error(amount, "an amount is above 0"));
    }
    let blocks = block_sizes(source, blocks, size)?;
    let requests = requests(moved, &blocks);
    if requests > REQUESTS_MAX as f64 {
        let why = format!(
            "an amount of {requests:.1e} requests would take days to simulate; at most {}: give a \
             smaller amount, or larger blocks",
            grouped(REQUESTS_MAX)
        );
        return Err(source.error(amount, why));
    }
    Ok(Transfer {
        files: name.get_ref().clone(),
        at: files.at.get_ref().0,
        size,
        count,
        amount: moved,
        blocks,
        sequential: sequential.map_or(1.0, |share| share.0),
    })
}

/// Returns the number of requests of these sizes and weights that move N sectors.
fn requests(sectors: u64, blocks: &[(u32, u32)]) -> f64 {
    let sum = |of: fn(f64, f64) -> f64| -> f64 {
        let parts = blocks
            .iter()
            .map(|&(size, weight)| of(size.into(), weight.into()));
        parts.sum()
    };
    sectors as f64 * sum(|_, weight| weight) / sum(|size, weight| size * weight)
}

/// Sizes and weights, ascending by size.
fn block_sizes(
    source: &Text<'_>,
    blocks: &Spanned<BTreeMap<String, u32>>,
    files: u64,
) -> Result<Vec<(u32, u32)>, ScriptError> {
    let mut sizes = Vec::new();
    for (size, &weight) in blocks.get_ref() {
        let sectors = Sectors::read(size)
            .map_err(|why| source.error(blocks, why))?
            .0;
        if sectors == 0 || sectors > BLOCK_SECTORS_MAX.min(files) {
            let why = format!(
                "a request of {size}: it must be above 0, at most 16 MiB and no larger than the files"
            );
            return Err(source.error(blocks, why));
        }
        if weight > 0 {
            sizes.push((sectors as u32, weight));
        }
    }
    if sizes.is_empty() {
        let why = "blocks needs a size with a weight above 0, such as { \"64 KiB\" = 1 }";
        return Err(source.error(blocks, why));
    }
    sizes.sort_unstable();
    Ok(sizes)
}
