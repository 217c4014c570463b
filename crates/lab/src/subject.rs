//! Subject of a test: a drive, or several drives that a load knows by name.

use ftlab_base::amount::decimal;
use ftlab_base::{Content, RootSeed};
use ftlab_drive::{Device, DriveFile, Kind, default_testbed};
use ftlab_host::Testbed;
use ftlab_play::driver::{DeviceShape, Target};
use ftlab_play::load::Load;
use ftlab_play::streams::drive_seed;
use ftlab_sheet::SheetError;
use xxhash_rust::xxh3::xxh3_128;

/// A drive, or several by name.
#[derive(Debug, Clone)]
pub struct Subject {
    slug: String,
    members: Vec<Member>,
    /// The drive in its own size, and how many times that is what is tested; none for drives that are tested as they
    /// are.
    full: Option<(DriveFile, f64)>,
    /// The settings of its drive that its file does not have.
    variant: Variant,
}

/// A drive's settings, and its name among the variants of the drive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variant {
    /// The number of the value of each setting that has several, in their order.
    pub at: Vec<usize>,
    /// Everything that is set, as `key=value`.
    pub settings: Vec<String>,
    /// Its name among the variants, for example `spare.op=0.07,gc.policy=fifo`; empty for the only one.
    pub name: String,
}

/// One drive of a subject.
#[derive(Debug, Clone)]
pub struct Member {
    /// Name in loads; empty for the only drive, which takes every load.
    pub name: String,
    /// File of the drive.
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
            variant: Variant::default(),
        }
    }
}

/// Returns a hash that tells a drive file from others.
#[must_use]
pub fn mark_of_drive(file: &DriveFile) -> u128 {
    xxh3_128(format!("{}\n{}", file.slug(), file.text()).as_bytes())
}

impl Subject {
    /// The settings that the drives already have, and their name.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Names the settings that the drives already have.
    #[must_use]
    pub fn being(self, variant: Variant) -> Subject {
        Subject { variant, ..self }
    }

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
            variant: Variant::default(),
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
        if times == 1.0 {
            return Ok(self);
        }
        Ok(Subject {
            full: Some((file.clone(), times)),
            ..Subject::from(small).being(self.variant.clone())
        })
    }

    /// Drives as a suite tests them: none larger than `bytes_max`, if that is given.
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
    pub fn times(&self) -> f64 {
        self.full.as_ref().map_or(1.0, |(_, times)| *times)
    }

    /// Returns a sentence on a drive that is tested smaller than it is; `None` for one of full size.
    pub fn words_of_size(&self) -> Option<String> {
        let (_, times) = self.full.as_ref()?;
        Some(format!(
            "Its blocks have {times:.1} times fewer pages than the drive's, so that it holds {}: speeds, latencies and \
             write amplification are the drive's, and a fill takes so much less time.",
            decimal(self.capacity_bytes() as f64, "B")
        ))
    }

    /// Its name: the slug of its drive, or `NAME=SLUG+NAME=SLUG`.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// Returns the drives and their names.
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

    /// The drives, in their order.
    pub fn files(&self) -> impl Iterator<Item = &DriveFile> {
        self.members.iter().map(|member| &member.file)
    }

    /// Slug of a machine of the drives' time.
    #[must_use]
    pub fn usual_testbed(&self) -> &str {
        default_testbed(self.files())
    }

    /// The settings of its drive.
    #[must_use]
    pub fn settings(&self) -> &[String] {
        &self.variant.settings
    }

    /// Returns the variant of the drive that it is.
    #[must_use]
    pub fn as_variant(&self) -> &Variant {
        &self.variant
    }

    /// The drive in its own size, if what is tested is smaller.
    #[must_use]
    pub fn full(&self) -> Option<&DriveFile> {
        self.full.as_ref().map(|(file, _)| file)
    }

    /// Its name in results: its slug, and which variant it is.
    #[must_use]
    pub fn id(&self) -> String {
        match self.variant.name.as_str() {
            "" => self.slug.clone(),
            name => format!("{}@{name}", self.slug),
        }
    }

    /// A mark of its drive files, which no others have.
    pub(crate) fn mark(&self) -> u128 {
        if let Some(only) = self.only() {
            return mark_of_drive(only);
        }
        let mark =
            |member: &Member| format!("{}={:032x}", member.name, mark_of_drive(&member.file));
        let marks: Vec<String> = self.members.iter().map(mark).collect();
        xxh3_128(marks.join("\n").as_bytes())
    }

    /// Bytes that its drives take in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        self.files().map(DriveFile::memory_bytes).sum()
    }

    /// Bytes that the host sees of its drives together.
    pub fn capacity_bytes(&self) -> u64 {
        self.files().map(DriveFile::capacity_bytes).sum()
    }

    /// Returns the shapes of the drives, which jobs are fitted to.
    pub fn shapes(&self) -> Vec<DeviceShape<'_>> {
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
    pub fn seed(&self, member: &Member, root: RootSeed) -> RootSeed {
        let seed = drive_seed(root, member.file.slug());
        match member.name.as_str() {
            "" => seed,
            name => seed.derive(name),
        }
    }

    /// Its drives as new, on a machine.
    ///
    /// # Errors
    /// When the system does not give the memory for them.
    pub fn build(&self, machine: &Testbed, root: RootSeed) -> Result<Devices, SheetError> {
        let members = self.members.iter();
        members
            .map(|member| member.file.build(machine, self.seed(member, root)))
            .collect()
    }

    /// Its drives as a load plays on them.
    pub fn target<'d>(&self, devices: &'d mut Devices) -> Target<'d> {
        let names = self.members.iter().map(|member| member.name.clone());
        Target::named(
            names.zip(
                devices
                    .iter_mut()
                    .map(|device| &mut **device as &mut dyn Device),
            ),
        )
    }

    /// Returns the data written on the way to a load's state: like the load's, if a drive can tell.
    pub fn data_before(&self, load: &Load) -> Content {
        let mut data = self.files().map(|file| data_before(file, load));
        data.find(|data| *data != Content::RANDOM)
            .unwrap_or(Content::RANDOM)
    }

    /// Returns a hash that tells its drive files, with all that is set of them, from those of another.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let hashes = self.files().map(DriveFile::hash);
        hashes.fold(0, |all, hash| all.rotate_left(1) ^ hash)
    }

    /// Returns true if one of its drives is of flash.
    pub fn has_flash(&self) -> bool {
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

/// The machine that was asked for, else the one of this slug.
///
/// # Errors
/// When there is none.
pub fn testbed(asked: Option<&Testbed>, slug: &str) -> Result<Testbed, SheetError> {
    match asked {
        Some(testbed) => Ok(testbed.clone()),
        None => Testbed::load(slug),
    }
}
