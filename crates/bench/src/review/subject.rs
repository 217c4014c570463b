//! What tests run on: a drive, or several drives that a load knows by name.

use crate::suites::Test;
use ftlab_base::amount::decimal;
use ftlab_base::{CommandKind, Content, Nanos, RootSeed};
use ftlab_drive::{Device, DriveFile, Kind, default_testbed};
use ftlab_host::Testbed;
use ftlab_play::driver::{DeviceShape, Target};
use ftlab_play::load::Load;
use ftlab_play::streams::drive_seed;
use ftlab_result::{Alone, DriveKind, DriveSheet, Member as MemberSheet, Parameter};
use ftlab_sheet::SheetError;

/// A drive, or several by name.
#[derive(Debug, Clone)]
pub struct Subject {
    slug: String,
    members: Vec<Member>,
    /// The drive in its own size, and how many times that is what is tested; none for drives that are tested as they
    /// are.
    full: Option<(DriveFile, f64)>,
}

/// One drive of a subject.
#[derive(Debug, Clone)]
pub struct Member {
    /// What loads call it; empty for the only one, which takes every load.
    pub name: String,
    /// The drive.
    pub file: DriveFile,
}

/// The drives of a subject, built, in its order.
pub type Devices = Vec<Box<dyn Device>>;

impl From<DriveFile> for Subject {
    fn from(file: DriveFile) -> Subject {
        Subject {
            slug: file.slug().to_owned(),
            members: vec![Member {
                name: String::new(),
                file,
            }],
            full: None,
        }
    }
}

impl Subject {
    /// Drives by the names that loads have for them, each its own.
    ///
    /// # Panics
    /// Without a drive.
    #[must_use]
    pub fn named(members: Vec<Member>) -> Subject {
        assert!(!members.is_empty(), "a subject has a drive");
        let each = members.iter();
        let each = each.map(|member| format!("{}={}", member.name, member.file.slug()));
        Subject {
            slug: each.collect::<Vec<_>>().join("+"),
            members,
            full: None,
        }
    }

    /// Shrinks an only drive to about `bytes_max` bytes ([`DriveFile::shrunk_to`]); reports still show it in its own
    /// size.
    ///
    /// # Errors
    /// When it cannot be made as small.
    fn shrunk_to(self, bytes_max: u64) -> Result<Subject, SheetError> {
        let Some(file) = self.only() else {
            return Ok(self);
        };
        let (small, times) = file.shrunk_to(bytes_max)?;
        Ok(Subject {
            full: (times > 1.0).then(|| (file.clone(), times)),
            ..Subject::from(small)
        })
    }

    /// Drives as a suite tests them: each no larger than so many bytes, or as it is.
    ///
    /// # Errors
    /// When one cannot be made as small.
    pub fn fit(drives: Vec<Subject>, bytes_max: Option<u64>) -> Result<Vec<Subject>, SheetError> {
        let Some(bytes_max) = bytes_max else {
            return Ok(drives);
        };
        let small = drives.into_iter().map(|drive| drive.shrunk_to(bytes_max));
        small.collect()
    }

    /// Bytes of its drive for each of the one that is tested.
    pub(super) fn times(&self) -> f64 {
        self.full.as_ref().map_or(1.0, |(_, times)| *times)
    }

    /// What is to be said of a drive that is tested smaller than it is.
    pub(super) fn words_of_size(&self) -> Option<String> {
        let (_, times) = self.full.as_ref()?;
        Some(format!(
            "Its blocks have {times:.1} times fewer pages than the drive's, so that it holds {}: speeds, latencies and \
             write amplification are the drive's, and a fill takes so much less time.",
            decimal(self.capacity_bytes() as f64, "B")
        ))
    }

    /// What names it in results: the slug of its drive, or `NAME=SLUG+NAME=SLUG`.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// Its drives.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The first of its drives; of most subjects the only one.
    #[must_use]
    pub fn first(&self) -> &DriveFile {
        &self.members[0].file
    }

    /// Its drive, if it is one that takes every load.
    #[must_use]
    pub fn only(&self) -> Option<&DriveFile> {
        match &self.members[..] {
            [only] if only.name.is_empty() => Some(&only.file),
            _ => None,
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &DriveFile> {
        self.members.iter().map(|member| &member.file)
    }

    /// Slug of the machine that a test runs on here: the one that it names, or one of the drives' time.
    pub(crate) fn testbed_of<'t>(&self, test: &'t Test) -> &'t str {
        let named = test.family.testbed.as_deref();
        named.unwrap_or_else(|| default_testbed(self.files()))
    }

    /// Bytes that its drives take in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.files().map(DriveFile::memory_bytes).sum()
    }

    /// Bytes that the host sees of its drives together.
    pub(super) fn capacity_bytes(&self) -> u64 {
        self.files().map(DriveFile::capacity_bytes).sum()
    }

    /// Why it cannot run these tests.
    pub(super) fn too_small_for(&self, tests: &[&str]) -> String {
        format!(
            "it has {}, which is too little for the files of {}",
            decimal(self.capacity_bytes() as f64, "B"),
            tests.join(", ")
        )
    }

    /// What jobs are fitted to.
    pub(super) fn shapes(&self) -> Vec<DeviceShape<'_>> {
        let members = self.members.iter();
        let shapes = members.map(|member| DeviceShape {
            name: &member.name,
            bytes: member.file.capacity_bytes(),
            handles: member.file.placement_handles(),
            atomic_bytes: member.file.atomic_write_bytes(),
        });
        shapes.collect()
    }

    /// The seed of everything inside a drive and of how it is prepared. Two drives of one model are not the same.
    pub(super) fn seed(&self, member: &Member, root: RootSeed) -> RootSeed {
        let seed = drive_seed(root, member.file.slug());
        match member.name.as_str() {
            "" => seed,
            name => seed.derive(name),
        }
    }

    /// Its drives as new, on a machine.
    pub(super) fn build(&self, machine: &Testbed, root: RootSeed) -> Result<Devices, SheetError> {
        let members = self.members.iter();
        members
            .map(|member| member.file.build(machine, self.seed(member, root)))
            .collect()
    }

    /// Its drives as a load plays on them.
    pub(super) fn target<'d>(&self, devices: &'d mut Devices) -> Target<'d> {
        let names = self.members.iter().map(|member| member.name.clone());
        Target::named(
            names.zip(
                devices
                    .iter_mut()
                    .map(|device| &mut **device as &mut dyn Device),
            ),
        )
    }

    /// What is written on the way to a load's state: data like the load's, if a drive can tell.
    pub(super) fn data_before(&self, load: &Load) -> Content {
        let mut data = self.files().map(|file| data_before(file, load));
        data.find(|data| *data != Content::RANDOM)
            .unwrap_or(Content::RANDOM)
    }

    /// What tells its drive files, with all that is set of them, from those of another.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let hashes = self.files().map(DriveFile::hash);
        hashes.fold(0, |all, hash| all.rotate_left(1) ^ hash)
    }

    /// The drives as the report shows them.
    #[must_use]
    pub fn sheet(&self) -> DriveSheet {
        if let Some((full, _)) = &self.full {
            return sheet(full);
        }
        if let Some(only) = self.only() {
            return sheet(only);
        }
        let member = |member: &Member| MemberSheet {
            name: member.name.clone(),
            drive: sheet(&member.file),
        };
        let members: Vec<MemberSheet> = self.members.iter().map(member).collect();
        let words = |of: fn(&MemberSheet) -> &str| {
            let each = members.iter();
            let each = each.map(|member| format!("{}: {}", member.name, of(member)));
            each.collect::<Vec<_>>()
        };
        DriveSheet {
            drive: self.slug.clone(),
            name: words(|member| &member.drive.name).join(", "),
            summary: words(|member| &member.drive.summary).join(" "),
            kind: members[0].drive.kind,
            capacity_bytes: self.capacity_bytes(),
            file_hash: hash_words(self.hash()),
            parameters: Vec::new(),
            alone: Vec::new(),
            alone_on: String::new(),
            members,
        }
    }

    /// Whether a drive of it is of flash.
    pub(super) fn has_flash(&self) -> bool {
        self.files().any(|file| file.kind() == Kind::Ssd)
    }
}

/// Data like those of a load if they compress and the drive can tell, else data that do not.
#[must_use]
pub fn data_before(file: &DriveFile, load: &Load) -> Content {
    match load.compressible() {
        Some(data) if file.compresses() => data,
        _ => Content::RANDOM,
    }
}

/// The drive as the report shows it.
#[must_use]
pub fn sheet(file: &DriveFile) -> DriveSheet {
    let testbed = default_testbed([file]);
    let parameter = |row: ftlab_drive::ParameterRow| Parameter {
        key: row.key,
        value: row.value,
        unit: row.unit,
        source: row.source,
        confidence: row.confidence,
        from: row.from,
        note: crate::figures::sources_in_words(&row.note),
        base: row.base,
    };
    DriveSheet {
        drive: file.slug().to_owned(),
        name: file.name().to_owned(),
        summary: file.summary().to_owned(),
        kind: match file.kind() {
            Kind::Ssd => DriveKind::Ssd,
            Kind::Disk => DriveKind::Disk,
            Kind::Ram => DriveKind::Ram,
        },
        capacity_bytes: file.capacity_bytes(),
        file_hash: hash_words(file.hash()),
        parameters: file.parameters().into_iter().map(parameter).collect(),
        alone: alone(file, testbed),
        alone_on: match file.kind() {
            Kind::Ssd => testbed.to_owned(),
            Kind::Disk | Kind::Ram => String::new(),
        },
        members: Vec::new(),
    }
}

/// What a command alone takes behind a host that comes with ftlab, of every kind.
fn alone(file: &DriveFile, testbed: &str) -> Vec<Alone> {
    let testbed = Testbed::load(testbed).expect("it comes with ftlab");
    let kinds = [
        (CommandKind::Read, "read 4 KiB"),
        (CommandKind::Write, "write 4 KiB"),
    ];
    let row = |(kind, command): (CommandKind, &str)| {
        let parts = file.alone(kind, &testbed)?;
        let us = |span: Nanos| span.0 as f64 / 1e3;
        Some(Alone {
            command: command.to_owned(),
            host_us: us(parts.host),
            link_us: us(parts.link),
            firmware_us: us(parts.firmware),
            flash_us: us(parts.flash),
            bus_us: us(parts.bus),
            total_us: us(parts.total()),
        })
    };
    kinds.into_iter().filter_map(row).collect()
}

fn hash_words(hash: u64) -> String {
    format!("{hash:016x}")
}
