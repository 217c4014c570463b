//! Cards that are written from the drive file: the configurations of other simulators.

use super::{Options, is_there, lab, off_table, ready, setting};
use crate::failure::{Failure, Outcome};
use crate::files::{self, Folder};
use crate::options::OutputFormat;
use crate::screen;
use clap::Args;
use ftlab_bench::cards;
use ftlab_card::{Asked, Back, Card, Dropped, Key, Off, Target, Write};
use ftlab_drive::DriveFile;
use ftlab_workload::JobFile;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The load that goes with a drive.
#[derive(Debug, Args)]
pub struct LoadOptions {
    /// A job file in fio's words whose jobs are the load
    #[arg(long, value_name = "FILE", conflicts_with = "load")]
    pub job: Option<PathBuf>,
    /// The load as words of a job, for example 'rw=randread bs=4k iodepth=4 number_ios=100k'
    #[arg(long, value_name = "WORDS")]
    pub load: Option<String>,
    /// The drive holds data before the load runs; else it is new
    #[arg(long)]
    pub filled: bool,
}

/// The card as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    files: Vec<String>,
    written: &'a [Key],
    assumed: &'a [Key],
    dropped: &'a [Dropped],
    remarks: &'a [String],
    /// Empty where nothing says how far the card is off.
    off: &'a [Off],
}

pub fn command(
    options: &Options,
    target: &Target,
    (write, back): (Write, Option<Back>),
    drive: DriveFile,
) -> Outcome {
    let drive = options.shrink.shrunk(drive)?;
    let load = load(&options.load)?;
    let asked = Asked {
        drive: &drive,
        load: load.as_ref().map(|(name, jobs)| (name.as_str(), jobs)),
        filled: options.load.filled,
        unit: options.unit.unwrap_or_default(),
        planes: options.planes.unwrap_or_default(),
        off: &[],
    };
    let Some(back) = back else {
        let card = write(&asked)?;
        let paths = written(options, &card)?;
        return screen::print(&said(options, target, &card, (paths, &[]))?);
    };
    let file = ready(options)?;
    let setting = setting(options, drive.clone())?;
    let progress = options.work.signs.bar();
    let hear = |done: usize, all: usize| progress.set(done, all, "loads");
    let (card, off) = cards::reread(&asked, (write, back), &setting, &lab(options)?, &hear)?;
    progress.clear();
    let (_, text) = &card.files[0];
    let paths = options.out.iter().map(|path| path.display().to_string());
    let said = said(options, target, &card, (paths.collect(), &off))?;
    match (&file, options.output_format) {
        (None, OutputFormat::Normal) => screen::print(text),
        (None, OutputFormat::Json) => screen::print(&said),
        (Some(file), _) => {
            file.write(text.as_bytes())?;
            match file.is_standard_output() {
                true => Ok(()),
                false => screen::print(&said),
            }
        }
    }
}

/// What is printed of a card that was written to files.
fn said(
    options: &Options,
    target: &Target,
    card: &Card,
    (files, off): (Vec<String>, &[Off]),
) -> Result<String, Failure> {
    let report = Report {
        files,
        written: &card.written,
        assumed: &card.assumed,
        dropped: &card.dropped,
        remarks: &card.remarks,
        off,
    };
    match options.output_format {
        OutputFormat::Normal => Ok(normal(target.program, &report)),
        OutputFormat::Json => screen::json(&report),
    }
}

/// The jobs of a load and the name of their file, if one was given.
fn load(options: &LoadOptions) -> Result<Option<(String, JobFile)>, Failure> {
    let (name, path, text) = match (&options.job, &options.load) {
        (Some(path), _) => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            (name, path.as_path(), files::read(path, "a job file")?)
        }
        (None, Some(words)) => {
            let words: Vec<&str> = words.split_whitespace().collect();
            let text = format!("[load]\n{}\n", words.join("\n"));
            ("--load".to_owned(), Path::new("--load"), text)
        }
        (None, None) => return Ok(None),
    };
    let jobs = files::guarded(path, || Ok(JobFile::parse(&text, &name)?))?;
    Ok(Some((name, jobs)))
}

/// Writes the files, all or none, and returns their paths.
fn written(options: &Options, card: &Card) -> Result<Vec<String>, Failure> {
    let Some(out) = &options.out else {
        return Err(Failure::Input(
            "--out FOLDER is missing: the card has several files, which are not printed".to_owned(),
        ));
    };
    let folder = Folder::ready(out)?;
    let there = card
        .files
        .iter()
        .find(|(name, _)| folder.join(name).exists());
    if let Some((name, _)) = there.filter(|_| !options.force) {
        return Err(is_there(&folder.join(name), "--out"));
    }
    let files: Vec<(&str, &[u8])> = (card.files.iter())
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    folder.write(&files)?;
    let paths = card.files.iter();
    let paths = paths.map(|(name, _)| folder.join(name).display().to_string());
    Ok(paths.collect())
}

fn normal(program: &str, report: &Report<'_>) -> String {
    let mut text = String::new();
    for path in &report.files {
        let _ = writeln!(text, "wrote {path}");
    }
    for decides in [true, false] {
        let title = match decides {
            true => "dropped, decides speed",
            false => "dropped, decides no speed",
        };
        let mut table = screen::table(&[title, "value", "why"]);
        for row in report
            .dropped
            .iter()
            .filter(|row| row.decides_speed == decides)
        {
            table.add_row([&row.key, &row.value, &row.why]);
        }
        if table.row_count() > 0 {
            text += &format!("\n{}", screen::lines(table));
        }
    }
    let mut assumed = screen::table(&["assumed", "value", "why"]);
    for row in report.assumed {
        assumed.add_row([&row.key, &row.value, &row.note]);
    }
    let mut written = screen::table(&[program, "value", "from", "note"]);
    for row in report.written {
        written.add_row([&row.key, &row.value, &row.from.join(", "), &row.note]);
    }
    text += &format!("\n{}\n{}", screen::lines(assumed), screen::lines(written));
    if !report.remarks.is_empty() {
        text += "\nalso different\n";
    }
    for remark in report.remarks {
        let _ = writeln!(text, "  {remark}");
    }
    if !report.off.is_empty() {
        text += &format!("\n{}", off_table(report.off));
    }
    text
}
