//! `ftlab import`: drives and loads of other simulators as a drive file and job files, and results of other tools.

mod results;

use crate::failure::{Failure, Outcome};
use crate::files::{self, Folder};
use crate::options::OutputFormat;
use crate::{memory, screen};
use clap::{Args, Subcommand};
use ftlab_drive::Catalog;
use ftlab_import::{Imported, Nvmevirt, Row, Text};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlab import mqsim ssdconfig.xml workload.xml
  ftlab import simplessd sample.cfg --name simplessd-sample
  ftlab import simplessd config/sample.cfg simplessd/config/sample.cfg
  ftlab import femu run-blackbox.sh
  ftlab import nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO --capacity 64
  ftlab import results randread.json --drive \"Example 480\" --out measured

NAME.toml is the drive file and NAME.fio the job. Run them with
`ftlab run NAME.fio --drive ./NAME.toml --testbed attached`: the host takes no
time on that testbed, as in these programs. Every number names the key and the
file that it is from. Assumptions, and keys without a counterpart, are listed.";
const OF_MQSIM: &str = "\
Examples:
  ftlab import mqsim ssdconfig.xml
  ftlab import mqsim ssdconfig.xml workload.xml --out mqsim";
const OF_SIMPLESSD: &str = "\
Examples:
  ftlab import simplessd sample.cfg --name simplessd-sample
  ftlab import simplessd config/sample.cfg simplessd/config/sample.cfg";
const OF_FEMU: &str = "\
Examples:
  ftlab import femu run-blackbox.sh
  ftlab import femu '-device femu,femu_mode=1,devsz_mb=12288,nchs=8'";
const OF_NVMEVIRT: &str = "\
Examples:
  ftlab import nvmevirt ssd_config.h --capacity 64
  ftlab import nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO --capacity 64";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    #[command(flatten)]
    Of(Simulator),
    /// Results of fio and of tools around it: JSON, logs, folders
    #[command(after_help = results::EXAMPLES)]
    Results(results::Options),
}

/// A simulator, and its files.
#[derive(Debug, Subcommand)]
pub enum Simulator {
    /// MQSim's device configuration, and its workload definition: a job for each scenario
    #[command(after_help = OF_MQSIM)]
    Mqsim {
        /// The device: ssdconfig.xml
        config: PathBuf,
        /// The loads: workload.xml
        workload: Option<PathBuf>,
        #[command(flatten)]
        to: To,
    },
    /// A configuration of SimpleSSD 2 in sections of keys; one of SimpleSSD-Standalone may stand in the same file or in another
    #[command(after_help = OF_SIMPLESSD)]
    Simplessd {
        /// The configuration of the drive: X.cfg; or that of SimpleSSD-Standalone, and the drive's behind it
        config: PathBuf,
        /// The other of the two
        other: Option<PathBuf>,
        #[command(flatten)]
        to: To,
    },
    /// FEMU's device on QEMU's command line
    #[command(after_help = OF_FEMU)]
    Femu {
        /// `-device femu,KEY=VALUE,…`, alone or with the rest of the command line, in one word; or a script that starts QEMU
        #[arg(allow_hyphen_values = true)]
        arguments: String,
        #[command(flatten)]
        to: To,
    },
    /// A drive of NVMeVirt's header
    #[command(after_help = OF_NVMEVIRT)]
    Nvmevirt {
        /// The header: ssd_config.h
        header: PathBuf,
        /// Which of the drives that the header describes: BASE_SSD of the build
        #[arg(long, value_name = "NAME")]
        base_ssd: Option<String>,
        /// Memory that the module is given (memmap_size), which is all of the drive's flash
        #[arg(long, value_name = "GIB", value_parser = memory::gib)]
        capacity: u64,
        #[command(flatten)]
        to: To,
    },
}

/// What is written, and where.
#[derive(Debug, Args)]
pub struct To {
    /// Name of the files; by default the other program's
    #[arg(long)]
    name: Option<String>,
    /// Directory to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// The import as programs read it.
#[derive(Debug, Serialize)]
struct Report<'a> {
    drive: String,
    jobs: &'a [String],
    taken: &'a [Row],
    assumed: &'a [Row],
    left: &'a [ftlab_import::Left],
    remarks: &'a [String],
}

pub fn command(command: &Command) -> Outcome {
    match command {
        Command::Of(simulator) => converted(simulator),
        Command::Results(options) => results::command(options),
    }
}

fn converted(simulator: &Simulator) -> Outcome {
    // If a reader panics over several files, the error names the first.
    let first = match simulator {
        Simulator::Mqsim { config, .. } | Simulator::Simplessd { config, .. } => config.as_path(),
        Simulator::Nvmevirt { header, .. } => header,
        Simulator::Femu { arguments, .. } => Path::new(arguments),
    };
    let (to, program, imported) = files::guarded(first, || read_all(simulator))?;
    let name = to.name.as_deref().unwrap_or(program);
    written(to, name, &imported)
}

/// Reads and converts the files of a program, and returns them with their target and the program's name.
fn read_all(simulator: &Simulator) -> Result<(&To, &'static str, Imported), Failure> {
    // Every simulator describes its device in a form of its own, and has a reader of its own for it.
    Ok(match simulator {
        Simulator::Mqsim {
            config,
            workload,
            to,
        } => {
            let device = read(config, "MQSim's ssdconfig.xml")?;
            let loads = workload.as_deref();
            let loads = loads.map(|path| read(path, "MQSim's workload.xml"));
            let loads = loads.transpose()?;
            let imported =
                ftlab_import::mqsim(&device.text(), loads.as_ref().map(Read::text).as_ref())?;
            (to, "mqsim", imported)
        }
        Simulator::Simplessd { config, other, to } => {
            let config = read(config, "a .cfg of SimpleSSD's")?;
            let other = other.as_deref();
            let other = other.map(|path| read(path, "the other .cfg of SimpleSSD's"));
            let other = other.transpose()?;
            let other = other.as_ref().map(Read::text);
            let imported = ftlab_import::simplessd(&config.text(), other.as_ref())?;
            (to, "simplessd", imported)
        }
        Simulator::Femu { arguments, to } => {
            let said = femu(arguments)?;
            (to, "femu", ftlab_import::femu(&said.text())?)
        }
        Simulator::Nvmevirt {
            header,
            base_ssd,
            capacity,
            to,
        } => {
            let header = read(header, "NVMeVirt's ssd_config.h")?;
            let asked = Nvmevirt {
                base: base_ssd.as_deref(),
                capacity_bytes: *capacity,
            };
            (
                to,
                "nvmevirt",
                ftlab_import::nvmevirt(&header.text(), asked)?,
            )
        }
    })
}

/// FEMU's words: as they are, or in a script of that name.
fn femu(arguments: &str) -> Result<Read, Failure> {
    let path = Path::new(arguments);
    let is_script = !arguments.contains(['=', ' ']) || path.is_file();
    match is_script && !arguments.starts_with('-') {
        true => read(
            path,
            "a script that starts QEMU, or `-device femu,…` itself",
        ),
        false => Ok(Read {
            name: "arguments".to_owned(),
            text: arguments.to_owned(),
        }),
    }
}

/// A file that was read.
struct Read {
    name: String,
    text: String,
}

impl Read {
    fn text(&self) -> Text<'_> {
        Text {
            name: &self.name,
            text: &self.text,
        }
    }
}

fn read(path: &Path, what: &str) -> Result<Read, Failure> {
    let text = files::read(path, what)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(Read {
        name: name.to_string_lossy().into_owned(),
        text,
    })
}

/// Writes the files, all or none, and says what stands in them.
fn written(to: &To, name: &str, imported: &Imported) -> Outcome {
    if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
        let why =
            format!("--name {name}: give a name of files without folders; --out takes a folder");
        return Err(Failure::Input(why));
    }
    let drive_name = format!("{name}.toml");
    // A drive that cannot be made is of no use, and the reason is in the other program's numbers.
    Catalog::default().parse(&drive_name, &imported.drive, &[]).map_err(|error| {
        Failure::Input(format!(
            "these numbers make no drive here, and nothing was written: {error}; change them where they come from"
        ))
    })?;
    let names: Vec<String> = (imported.jobs.iter())
        .map(|job| format!("{name}{}.fio", job.suffix))
        .collect();
    let mut all = vec![(drive_name.as_str(), imported.drive.as_bytes())];
    let jobs = names.iter().zip(&imported.jobs);
    all.extend(jobs.map(|(name, job)| (name.as_str(), job.text.as_bytes())));
    let folder = Folder::ready(&to.out)?;
    let there = all.iter().find(|(name, _)| folder.join(name).exists());
    if let Some((name, _)) = there.filter(|_| !to.force) {
        let why = format!(
            "{} is there already; write over it with --force, or give --name or --out",
            folder.join(name).display()
        );
        return Err(Failure::Input(why));
    }
    folder.write(&all)?;
    let paths: Vec<String> = (names.iter())
        .map(|name| folder.join(name).display().to_string())
        .collect();
    let wraps: Vec<bool> = imported.jobs.iter().map(|job| job.wraps).collect();
    let report = Report {
        drive: folder.join(&drive_name).display().to_string(),
        jobs: &paths,
        taken: &imported.taken,
        assumed: &imported.assumed,
        left: &imported.left,
        remarks: &imported.remarks,
    };
    screen::print(&match to.output_format {
        OutputFormat::Normal => normal(&report, &wraps),
        OutputFormat::Json => screen::json(&report)?,
    })
}

fn normal(report: &Report<'_>, wraps: &[bool]) -> String {
    let mut text = String::new();
    for path in std::iter::once(&report.drive).chain(report.jobs) {
        let _ = writeln!(text, "wrote {path}");
    }
    for (title, rows) in [("taken over", report.taken), ("assumed", report.assumed)] {
        let mut table = screen::table(&[title, "value", "unit", "from", "note"]);
        for row in rows {
            let from = row.from.join(", ");
            table.add_row([&row.key, &row.value, &row.unit, &from, &row.note]);
        }
        text += &format!("\n{}", screen::lines(table));
    }
    if !report.left.is_empty() {
        let mut table = screen::table(&["no counterpart", "value", "from", "why"]);
        for row in report.left {
            table.add_row([&row.key, &row.value, &row.place, &row.why]);
        }
        text += &format!("\n{}", screen::lines(table));
    }
    if !report.remarks.is_empty() {
        text += "\nalso different\n";
    }
    for remark in report.remarks {
        let _ = writeln!(text, "  {remark}");
    }
    // These programs take no time for the host; the testbeds of reviews do.
    for (job, wraps) in report.jobs.iter().zip(wraps) {
        let drive = &report.drive;
        let fit = if *wraps { " --fit wrap" } else { "" };
        let _ = writeln!(
            text,
            "\nftlab run {job} --drive {drive} --testbed attached{fit}"
        );
    }
    text
}
