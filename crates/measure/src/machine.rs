//! The machine and the drive of a measurement, as numbers of a drive's sheet. Nothing names the machine itself.

use crate::device::Device;
use crate::device::id::Id;
use crate::device::system::{Block, Node, System};
use crate::fio::Fio;
use ftlab_result::{DriveKind, DriveSheet, Parameter};
use xxhash_rust::xxh3::xxh3_64;

/// The key of the drive's id, and of the hash of the suite.
pub(crate) const ID: &str = "drive.id";
const SUITE: &str = "suite.hash";

/// A shorter name is a part of many words.
const NAME_LETTERS_MIN: usize = 4;

/// The drive of a measurement.
#[derive(Debug, Clone)]
pub struct Described {
    /// Model, where the drive says one.
    pub model: Option<String>,
    /// It spins.
    pub is_spinning: bool,
    parameters: Vec<Parameter>,
}

fn parameter(key: &str, value: impl Into<String>, unit: &str, note: &str) -> Parameter {
    Parameter {
        key: key.to_owned(),
        value: value.into(),
        unit: unit.to_owned(),
        source: "measured".to_owned(),
        confidence: "high".to_owned(),
        from: Vec::new(),
        note: note.to_owned(),
        base: String::new(),
    }
}

impl Described {
    /// What the system says of a drive, and of itself.
    #[must_use]
    pub fn of(system: &System, device: &Device) -> Described {
        let block = match device.node() {
            Some(Node::Block(number)) => system.block(number),
            // What the file's file system lies on.
            Some(Node::File(file)) => system.block(file.device),
            None => None,
        };
        let whole = block.map(|block| block.disk().unwrap_or(block));
        let of = |name: &str| whole.as_ref().and_then(|block: &Block| block.text(name));
        let mut parameters = vec![parameter(
            ID,
            device.id.to_string(),
            "",
            "what tells it from other drives",
        )];
        let mut put = |key: &str, value: Option<String>, unit: &str, note: &str| {
            parameters.extend(value.map(|value| parameter(key, value, unit, note)));
        };
        let is_own = matches!(device.node(), Some(Node::Block(_)));
        let own = |name: &str| of(name).filter(|_| is_own);
        put("drive.model", own("device/model"), "", "");
        put(
            "drive.firmware",
            own("device/firmware_rev").or_else(|| own("device/rev")),
            "",
            "",
        );
        put(
            "drive.logical_block",
            own("queue/logical_block_size"),
            "B",
            "",
        );
        put(
            "drive.scheduler",
            of("queue/scheduler"),
            "",
            "the one in use is in brackets",
        );
        put(
            "drive.write_cache",
            of("queue/write_cache"),
            "",
            "as the system takes it",
        );
        put(
            "file.system",
            file_system(system, device),
            "",
            "that the file lies in",
        );
        put("machine.processor", processor(), "", "");
        put(
            "machine.processors",
            std::thread::available_parallelism()
                .ok()
                .map(|n| n.to_string()),
            "",
            "",
        );
        put("machine.memory", memory_gib(), "GiB", "");
        put("machine.kernel", kernel(), "", "release, without its build");
        Described {
            model: own("device/model"),
            is_spinning: own("queue/rotational").as_deref() == Some("1")
                && own("loop/backing_file").is_none(),
            parameters,
        }
    }

    /// The sheet of the drive, under a name for reports; `suite` is the hash of what was asked.
    #[must_use]
    pub fn sheet(&self, slug: &str, device: &Device, fio: &Fio, suite: u64) -> DriveSheet {
        let name = self.model.clone().unwrap_or_else(|| slug.to_owned());
        let mut parameters = self.parameters.clone();
        parameters.push(parameter("bench.fio", fio.version.clone(), "", ""));
        parameters.push(parameter(
            "bench.engine",
            fio.common.engine,
            "",
            "with direct=1",
        ));
        parameters.push(parameter(
            "bench.processors",
            fio.common.processors.clone(),
            "",
            "cpus_allowed of jobs, split among them",
        ));
        parameters.push(parameter(
            SUITE,
            format!("{suite:016x}"),
            "",
            "of tests, jobs and lengths",
        ));
        DriveSheet {
            drive: slug.to_owned(),
            name,
            summary: format!(
                "A real drive ({}), measured by {}.",
                device.kind.name(),
                fio.version
            ),
            kind: match self.is_spinning {
                true => DriveKind::Disk,
                false => DriveKind::Ssd,
            },
            capacity_bytes: device.bytes,
            file_hash: hash_of(&device.id),
            parameters,
            alone: Vec::new(),
            alone_on: String::new(),
            members: Vec::new(),
        }
    }
}

/// The temperature from which work on the drive pauses, as a number of its sheet.
#[must_use]
pub fn max_celsius(celsius: i32) -> Parameter {
    let note = "from which work pauses until the drive has cooled down";
    parameter("bench.max_celsius", celsius.to_string(), "°C", note)
}

/// The hash that stands for a real drive where a model has that of its file.
#[must_use]
pub fn hash_of(id: &Id) -> String {
    format!("{:016x}", xxh3_64(id.to_string().as_bytes()))
}

/// Returns the hash of the suite that a sheet was measured with, as it stands there.
#[must_use]
pub fn suite_of(sheet: &DriveSheet) -> Option<&str> {
    let mut parameters = sheet.parameters.iter();
    parameters
        .find(|parameter| parameter.key == SUITE)
        .map(|parameter| parameter.value.as_str())
}

fn file_system(system: &System, device: &Device) -> Option<String> {
    let Some(Node::File(_)) = device.node() else {
        return None;
    };
    // Of mounts one in another, that of the longest path is the file's.
    let mounts = system.mounts().ok()?.into_iter();
    let of = mounts.filter(|mount| device.path.starts_with(&mount.at));
    of.max_by_key(|mount| mount.at.components().count())
        .map(|mount| mount.kind)
}

fn line(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn processor() -> Option<String> {
    line("/proc/cpuinfo", "model name")
}

fn memory_gib() -> Option<String> {
    let text = line("/proc/meminfo", "MemTotal")?;
    let kib: f64 = text.strip_suffix(" kB")?.trim().parse().ok()?;
    Some(format!("{:.0}", kib / f64::from(1 << 20)))
}

/// The machine's own name; none where it has none that tells it from others.
#[must_use]
pub fn name() -> Option<String> {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    (name.len() >= NAME_LETTERS_MIN && name != "localhost").then_some(name)
}

/// `6.1.0-18-amd64` is 6.1.0.
fn kernel() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let release = text
        .trim()
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .next()?;
    Some(release.to_owned())
}
