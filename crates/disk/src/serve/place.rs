//! The drive that is served: made or opened; and how others get at it.

use super::Options;
use ftlab_base::{Nanos, RootSeed};
use ftlab_console::failure::Failure;
use ftlab_console::{files, memory};
use ftlab_drive::{Catalog, Device, DriveFile};
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive, ImageError, OpenOptions, Recovery, Survives};
use ftlab_states::{State, prepare};
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

/// A drive that is to be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveSpec {
    image: Option<PathBuf>,
    drive: Option<String>,
    base: Option<PathBuf>,
}

/// A drive, and how it came to be.
pub struct Opened {
    pub drive: DataDrive,
    /// Origin of the drive in words: made anew, or opened with this recovery.
    pub how: String,
    /// Path of the image, if there is one.
    pub image: Option<PathBuf>,
    /// The image, if it was made for this.
    pub made: Option<PathBuf>,
}

/// The name of the export of an image.
pub fn export_name(image: &Path) -> String {
    let name = image.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".img").unwrap_or(&name).to_owned()
}

impl Options {
    /// The drives that are to be served: one for each image, or one in memory.
    pub(super) fn drive_specs(&self) -> Result<Vec<DriveSpec>, Failure> {
        let wrong = |why: String| Err(Failure::Input(why));
        let count = self.image.len().max(1);
        for (option, given) in [("--drive", self.drive.len()), ("--base", self.base.len())] {
            if given > 1 && given != count {
                return wrong(format!(
                    "{option} is given {given} times for {count} images: give it once for all of them, or once for each"
                ));
            }
        }
        if count > 1 {
            let of_one = [
                ("--name", !self.name.is_empty()),
                ("--fuse", self.fuse.is_some()),
                ("--control", self.control.is_some()),
                ("--record", self.record.is_some()),
                ("--crash-log", self.crash_log.is_some()),
            ];
            if let Some((option, _)) = of_one.iter().find(|(_, is_given)| *is_given) {
                return wrong(format!(
                    "{option} is for one drive, and {count} are served: leave it out, or serve that drive by itself"
                ));
            }
            for (n, image) in self.image.iter().enumerate() {
                let name = export_name(image);
                if self.image[..n]
                    .iter()
                    .any(|other| export_name(other) == name)
                {
                    return wrong(format!(
                        "two images would be the export {name}: give their files different names"
                    ));
                }
            }
        }
        // The last one given is for all that follow.
        fn of<T: Clone>(given: &[T], n: usize) -> Option<T> {
            given.get(n).or(given.last()).cloned()
        }
        let one = |n| DriveSpec {
            image: self.image.get(n).cloned(),
            drive: of(&self.drive, n),
            base: of(&self.base, n),
        };
        Ok((0..count).map(one).collect())
    }
}

/// Opens the image, or makes it if it is not there. The server's other drives take `others_bytes` of memory.
pub fn open(
    options: &Options,
    drive_spec: DriveSpec,
    (catalog, testbed): (&Catalog, &Testbed),
    others_bytes: u64,
) -> Result<Opened, Failure> {
    let file = drive_spec.drive.as_deref();
    let file = file.map(|name| catalog.load(name, &options.settings));
    let file = file.transpose()?;
    let tell = |file: &DriveFile| memory::tell(options.signs, others_bytes + file.memory_bytes());
    if let Some(file) = &file {
        tell(file);
    }
    let is_known = file.is_some();
    let opened = open_or_make(options, drive_spec, file, (catalog, testbed))?;
    // Which drive an image holds is known only then.
    if !is_known {
        tell(opened.drive.drive_file());
    }
    Ok(opened)
}

fn open_or_make(
    options: &Options,
    drive_spec: DriveSpec,
    file: Option<DriveFile>,
    (catalog, testbed): (&Catalog, &Testbed),
) -> Result<Opened, Failure> {
    let _told = options.signs.spinner("making or opening the drive");
    let image = drive_spec.image;
    let is_there = image.as_ref().is_some_and(|image| image.exists());
    if let Some(base) = &drive_spec.base {
        return on_base(options, image, base, file.as_ref(), (catalog, testbed));
    }
    if let Some(path) = image.as_ref().filter(|_| is_there) {
        return reopen(options, path, file.as_ref(), (catalog, testbed));
    }
    let file = file.ok_or_else(|| match &image {
        Some(path) => Failure::Input(format!(
            "there is no {}: say with --drive which drive to make, or give an image that is there",
            path.display()
        )),
        None => Failure::Input("say with --drive which drive".into()),
    })?;
    if let Some(path) = image.as_ref().filter(|_| options.read_only) {
        return Err(Failure::Input(format!(
            "there is no {}, and a new drive has nothing to read: leave out --read-only",
            path.display()
        )));
    }
    let create = CreateOptions {
        seed: options.seed,
        size_bytes: options.size,
        sync: options.sync,
        on_kill: options.on_kill,
    };
    // A drive ages before the first checkpoint, so that no half-aged image can be left.
    let age = |device: &mut dyn Device| {
        let prepared = prepare(device, State::New, options.state, RootSeed(options.seed));
        prepared
            .map(drop)
            .map_err(|why| ImageError::Age(why.to_string()))
    };
    let is_used = match options.state {
        State::New => String::new(),
        state => format!(", {}", state.name()),
    };
    match image {
        Some(path) => {
            let drive = DataDrive::create_aged(&path, &file, testbed, &create, age);
            Ok(Opened {
                drive: drive.map_err(input)?,
                how: format!("made anew in {}{is_used}", path.display()),
                image: Some(path.clone()),
                made: Some(path),
            })
        }
        None => {
            let drive = DataDrive::in_memory_aged(&file, testbed, options.seed, age);
            let mut drive = drive.map_err(input)?;
            if let Some(bytes) = options.size {
                drive.set_max(bytes).map_err(input)?;
            }
            Ok(Opened {
                drive,
                how: format!("in memory{is_used}: it is gone when this ends"),
                image: None,
                made: None,
            })
        }
    }
}

/// Opens an image that lies on a base, or makes it; without one, what changes is in memory.
fn on_base(
    options: &Options,
    image: Option<PathBuf>,
    base: &Path,
    file: Option<&DriveFile>,
    (catalog, testbed): (&Catalog, &Testbed),
) -> Result<Opened, Failure> {
    let is_there = image.as_ref().is_some_and(|image| image.exists());
    if let Some(path) = image.as_ref().filter(|_| options.read_only && !is_there) {
        return Err(Failure::Input(format!(
            "there is no {}, and nothing is to be written: leave out --image, and the base is read alone",
            path.display()
        )));
    }
    let open = OpenOptions {
        drive: file,
        read_only: options.read_only && is_there,
        sync: options.sync,
        on_kill: options.on_kill,
        ..OpenOptions::on(catalog, testbed)
    };
    let (drive, recovery) = files::guarded(image.as_deref().unwrap_or(base), || {
        when_free(|| DataDrive::open_on_base(image.as_deref(), base, &open)).map_err(input)
    })?;
    // The words depend on whether the image was there before, which opening it has changed.
    let how = match (&image, is_there) {
        (None, _) => "in memory, and gone when this ends".to_owned(),
        (Some(path), false) => format!("made anew in {}", path.display()),
        (Some(path), true) => format!(
            "opened from {}, {}",
            path.display(),
            recovery_in_words(&recovery)
        ),
    };
    Ok(Opened {
        drive,
        how,
        made: image.clone().filter(|_| !is_there),
        image,
    })
}

fn reopen(
    options: &Options,
    path: &Path,
    file: Option<&DriveFile>,
    (catalog, testbed): (&Catalog, &Testbed),
) -> Result<Opened, Failure> {
    let open = OpenOptions {
        drive: file,
        read_only: options.read_only,
        sync: options.sync,
        on_kill: options.on_kill,
        // What can be read is shown, and nothing is changed.
        accepts_loss: options.read_only,
        ..OpenOptions::on(catalog, testbed)
    };
    if options.state != State::New {
        return Err(Failure::Input(format!(
            "{} is there, and --state is of a new drive: leave it out, or name a new image",
            path.display()
        )));
    }
    let (drive, recovery) = files::guarded(path, || {
        when_free(|| DataDrive::open(path, &open)).map_err(input)
    })?;
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
    Ok(Opened {
        drive,
        how: format!(
            "opened from {}, {}",
            path.display(),
            recovery_in_words(&recovery)
        ),
        image: Some(path.to_owned()),
        made: None,
    })
}

/// Opens an image. A server that was killed a moment ago has it still, until the kernel has taken it down.
fn when_free<T>(open: impl Fn() -> Result<T, ImageError>) -> Result<T, ImageError> {
    let began = Instant::now();
    loop {
        match open() {
            Err(ImageError::Locked { .. }) if began.elapsed() < PATIENCE => sleep(LOOK_EVERY),
            result => return result,
        }
    }
}

fn recovery_in_words(recovery: &Recovery) -> String {
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
        Some(cut) => format!(", {}", crate::power_cut(&cut)),
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
    if let Some((base, fingerprint)) = drive.base() {
        let base = base.display();
        text += &format!("base     {base}, fingerprint {fingerprint:016x}\n");
    }
    if let Some(survives) = drive.survives().filter(|_| !drive.is_in_memory()) {
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
    for note in drive.notes() {
        text += &format!("note     {note}\n");
    }
    if let Some((long, taken)) = drive.file_bytes() {
        text += &format!("image    {}\n", crate::sparse_file(long, taken));
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
