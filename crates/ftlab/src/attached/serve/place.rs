//! The drive that is served: made or opened; and how others get at it.

use super::Options;
use crate::attached;
use crate::failure::Failure;
use ftlab_base::Nanos;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive, ImageError, OpenOptions, Recovery, Survives};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than the kernel takes to end a process that was killed.
const PATIENCE: Duration = Duration::from_secs(2);

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Reads a size, in fio's words.
pub fn bytes(text: &str) -> Result<u64, String> {
    ftlab_workload::bytes(text).map_err(|allowed| format!("give {allowed}"))
}

/// A drive, and how it came to be.
pub struct Opened {
    pub drive: DataDrive,
    /// Whether it is new, or what opening it took, in words.
    pub how: String,
    /// The image, if it was made for this.
    pub made: Option<PathBuf>,
}

/// Opens the image, or makes it if it is not there.
pub fn open(options: &Options, testbed: &Testbed) -> Result<Opened, Failure> {
    let _told = options.signs.spinner("making or opening the drive");
    let file = options.drive.as_deref();
    let file = file.map(|name| Catalog::load(name, &options.settings));
    let file = file.transpose()?;
    let create = CreateOptions {
        seed: options.seed,
        size_bytes: options.size,
        sync: options.sync,
        on_kill: options.on_kill.into(),
    };
    match &options.image {
        Some(path) if path.exists() => reopen(options, path, file.as_ref(), testbed),
        Some(path) => {
            let file = file.ok_or_else(|| {
                Failure::Input(format!(
                    "there is no {}: say with --drive which drive to make, or give an image that is there",
                    path.display()
                ))
            })?;
            if options.read_only {
                return Err(Failure::Input(format!(
                    "there is no {}, and a new drive has nothing to read: leave out --read-only",
                    path.display()
                )));
            }
            let drive = DataDrive::create(path, &file, testbed, &create).map_err(input)?;
            let how = format!("made anew in {}", path.display());
            let made = Some(path.clone());
            Ok(Opened { drive, how, made })
        }
        None => {
            let file = file.ok_or_else(|| Failure::Input("say with --drive which drive".into()))?;
            let mut drive = DataDrive::in_memory(&file, testbed, options.seed).map_err(input)?;
            if let Some(bytes) = options.size {
                drive.set_max(bytes).map_err(input)?;
            }
            let how = "in memory: it is gone when this ends".to_owned();
            let made = None;
            Ok(Opened { drive, how, made })
        }
    }
}

fn reopen(
    options: &Options,
    path: &Path,
    file: Option<&DriveFile>,
    testbed: &Testbed,
) -> Result<Opened, Failure> {
    let open = OpenOptions {
        testbed,
        drive: file,
        read_only: options.read_only,
        sync: options.sync,
        on_kill: options.on_kill.into(),
        cut_seed: None,
        // What can be read is shown, and nothing is changed.
        accepts_loss: options.read_only,
    };
    let (drive, recovery) = open_when_free(path, &open).map_err(input)?;
    if let Some(bytes) = options
        .size
        .filter(|bytes| *bytes != drive.capacity_bytes())
    {
        return Err(Failure::Input(format!(
            "{} has {} bytes and not {bytes}: leave out --size; `ftlab set-max` changes it",
            path.display(),
            drive.capacity_bytes()
        )));
    }
    let how = format!("opened from {}, {}", path.display(), told(&recovery));
    let made = None;
    Ok(Opened { drive, how, made })
}

/// Opens an image. A server that was killed a moment ago has it still, until the kernel has taken it down.
fn open_when_free(
    path: &Path,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let began = Instant::now();
    loop {
        match DataDrive::open(path, options) {
            Err(ImageError::Locked { .. }) if began.elapsed() < PATIENCE => sleep(LOOK_EVERY),
            result => return result,
        }
    }
}

fn told(recovery: &Recovery) -> String {
    if let Some(hole) = recovery.hole {
        return format!(
            "which is damaged: without {} requests, {} of them flushed, behind a hole in its journal",
            hole.requests, hole.flushed
        );
    }
    if recovery.clean {
        return "which was closed in order".to_owned();
    }
    let kept = match recovery.kept_slots {
        0 => String::new(),
        slots => format!(", {slots} slots kept by its capacitors"),
    };
    let cut = match recovery.cut {
        None => String::new(),
        Some(cut) => format!(", {}", attached::power_cut(&cut)),
    };
    let left_out = match recovery.left_out {
        0 => String::new(),
        steps => format!(
            ", {steps} last steps left out, as not all of their data had reached the disk (no flush had \
             promised them)"
        ),
    };
    format!(
        "which had lost its power: {} steps played again, {} moves of data made again{kept}{cut}{left_out}",
        recovery.replayed, recovery.redone
    )
}

fn input(error: ImageError) -> Failure {
    Failure::Input(error.to_string())
}

/// Lines that say what an image survives, and what it takes; nothing of a drive in memory.
pub fn of_image(drive: &DataDrive) -> String {
    let mut text = String::new();
    if let Some(survives) = drive.survives() {
        text += &match survives {
            Survives::ProcessKilled => format!(
                "survives {survives}: what was flushed is kept; for {}, serve it with --sync\n",
                Survives::HostPowerCut
            ),
            Survives::HostPowerCut => format!(
                "survives {survives}, and {}: what was flushed is kept\n",
                Survives::ProcessKilled
            ),
        };
    }
    if let Some((long, taken)) = drive.file_bytes() {
        text += &format!("image    {}\n", attached::sparse_file(long, taken));
    }
    text
}

/// A line that says which faults of requests the drive file asks for; nothing if it asks for none.
pub fn of_faults(drive: &DataDrive, has_time: bool) -> String {
    let count = drive.drive_file().faults().list(Nanos::ZERO).len();
    match (count, has_time) {
        (0, _) => String::new(),
        (_, true) => format!(
            "faults   {count} of the drive file; `ftlab fault list` tells what came of them\n"
        ),
        (_, false) => {
            format!("faults   none: the {count} of the drive file come in the model's time\n")
        }
    }
}

/// Lines that say what to type to use the mounted file.
pub fn of_file(path: &Path) -> String {
    let path = path.display();
    format!(
        "\
file     {path}
device   losetup --find --show --direct-io=on {path}    (as root; then mkfs and mount what it names)
"
    )
}

/// Lines that say what to type to ask the control socket.
pub fn of_control(path: &Path) -> String {
    let path = path.display();
    format!(
        "\
control  {path}
health   ftlab smart {path}
watch    ftlab top {path}
"
    )
}
