//! Places of the files of jobs on their drives: end to end, in the order in which jobs name them.

use super::bind::Bound;
use super::error::JobError;
use super::file::JobFile;
use super::spec::JobSpec;
use crate::units::Size;
use std::collections::BTreeMap;

/// Files begin at multiples of this, as with file systems.
const FILE_ALIGN_BYTES: u64 = 4096;

/// A device that files lie on.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// Its name; empty for the one device that takes every job.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: u64,
}

/// A file on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidFile {
    /// Its path.
    pub name: String,
    /// The place of its device among those of the target.
    pub device: usize,
    /// Its first byte on the device.
    pub first_byte: u64,
    /// Its length.
    pub bytes: u64,
}

/// The part of a target that is one file to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePlace {
    /// A device as a whole, by its place in the target.
    Device(usize),
    /// A file, by its place in the layout.
    File(usize),
}

/// The files of all jobs, and where they lie.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The files, in the order in which jobs name them; none where every job has whole devices.
    pub files: Vec<LaidFile>,
    /// The files of each job, in its order.
    pub of_jobs: Vec<Vec<FilePlace>>,
}

impl JobFile {
    /// Lays the files of the jobs on devices.
    ///
    /// # Errors
    /// When a name is no device and no file on one, a device none of a job, a file has no size, or files are longer than
    /// their device.
    pub fn lay_out(&self, devices: &[Room<'_>]) -> Result<Layout, JobError> {
        let names: Vec<&str> = devices.iter().map(|device| device.name).collect();
        let bound = self.bind(&names)?;
        let mut layout = Layout::default();
        let mut known: BTreeMap<(usize, String), usize> = BTreeMap::new();
        // The first job of each file, for messages.
        let mut first_jobs: Vec<&JobSpec> = Vec::new();
        for (job, bound) in self.jobs.iter().zip(bound) {
            let count = bound.len() as u64;
            let mut places = Vec::new();
            for of in bound {
                let (device, name) = match of {
                    Bound::Device(device) => {
                        places.push(FilePlace::Device(device));
                        continue;
                    }
                    Bound::File(device, name) => (device, name),
                };
                let at = *known
                    .entry((device, name.clone()))
                    .or_insert(layout.files.len());
                if at == layout.files.len() {
                    first_jobs.push(job);
                    layout.files.push(LaidFile {
                        name,
                        device,
                        first_byte: 0,
                        bytes: 0,
                    });
                }
                let bytes = job.file_bytes(count).unwrap_or(0);
                layout.files[at].bytes = layout.files[at].bytes.max(bytes);
                places.push(FilePlace::File(at));
            }
            layout.of_jobs.push(places);
        }
        place(&mut layout.files, &first_jobs, devices)?;
        Ok(layout)
    }
}

/// Puts each file behind the one before it on its device.
fn place(
    files: &mut [LaidFile],
    first_jobs: &[&JobSpec],
    devices: &[Room<'_>],
) -> Result<(), JobError> {
    let mut ends = vec![0_u64; devices.len()];
    for (file, job) in files.iter_mut().zip(first_jobs) {
        if file.bytes == 0 {
            return Err(job.error(format!(
                "nothing says how long its file {} is, and several files on a drive have to be; give it size=10g or \
                 filesize=10g",
                file.name
            )));
        }
        file.first_byte = ends[file.device];
        let end = file.first_byte.saturating_add(file.bytes);
        ends[file.device] = end
            .checked_next_multiple_of(FILE_ALIGN_BYTES)
            .unwrap_or(end);
        let device = devices[file.device];
        if end > device.bytes {
            let drive = match device.name {
                "" => "the drive".to_owned(),
                name => format!("drive {name}"),
            };
            return Err(job.error(format!(
                "its file {} would end at byte {end}, and {drive} has {} bytes; give files smaller sizes, or take a larger \
                 drive; --lay-out without --drive prints where all of them would lie",
                file.name, device.bytes
            )));
        }
    }
    Ok(())
}

impl JobSpec {
    /// Bytes that each of its files has to have, of so many; none where it goes through what others make. As in fio a
    /// size is that of all files together, and begins behind the offset.
    fn file_bytes(&self, count: u64) -> Option<u64> {
        if let Some(bytes) = self.region.filesize {
            return Some(bytes);
        }
        let in_bytes = |size: Size| match size {
            Size::Bytes(bytes) => bytes,
            Size::Percent(_) => 0,
        };
        let Some(Size::Bytes(size)) = self.region.size.filter(|_| !self.region.fill_device) else {
            return None;
        };
        let clones = u64::from(self.clones.clone_index);
        let increment = in_bytes(self.region.offset_increment).saturating_mul(clones);
        let offset = in_bytes(self.region.offset).saturating_add(increment);
        Some((size / count.max(1)).saturating_add(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of one drive of 1 GiB: name, first KiB and bytes.
    fn lay_out(jobs: &str) -> Result<String, String> {
        let file = JobFile::parse(jobs, "t.fio").unwrap();
        let drive = Room {
            name: "",
            bytes: 1 << 30,
        };
        let layout = file.lay_out(&[drive]).map_err(|error| error.to_string())?;
        let words = layout.files.iter();
        let words = words.map(|of| format!("{}@{}+{}", of.name, of.first_byte >> 10, of.bytes));
        Ok(words.collect::<Vec<_>>().join(" "))
    }

    /// Sizes are those of the files that fio 3.33 left.
    #[test]
    fn files_are_as_long_as_fio_makes_them() {
        for (jobs, files) in [
            ("[a]\nsize=1m\n[b]\nsize=1m\n", ""),
            ("[a]\nfilename=x\nsize=1m\n[b]\n", ""),
            (
                "[a]\ndirectory=d\nsize=1m\nnumjobs=2\n",
                "d/a.0.0@0+1048576 d/a.1.0@1024+1048576",
            ),
            (
                "[b]\ndirectory=d\nsize=1m\nnrfiles=3\n",
                "d/b.0.0@0+349525 d/b.0.1@344+349525 d/b.0.2@688+349525",
            ),
            (
                "[c]\nfilename=s\nsize=1m\nnumjobs=2\n[d]\nfilename=x\nsize=4k\n",
                "s@0+1048576 x@1024+4096",
            ),
            ("[d]\nfilename=x:y\nsize=2m\n", "x@0+1048576 y@1024+1048576"),
            (
                "[g]\ndirectory=d\nfilesize=512k\nnrfiles=2\nsize=4m\n",
                "d/g.0.0@0+524288 d/g.0.1@512+524288",
            ),
            (
                "[i]\nfilename=x:y\nsize=1m\noffset=64k\n",
                "x@0+589824 y@576+589824",
            ),
            (
                "[i]\nfilename=x:y\nsize=1m\noffset_increment=64k\nnumjobs=2\n",
                "x@0+589824 y@576+589824",
            ),
            (
                "[a]\ndirectory=d\nsize=1m\noffset_increment=64k\nnumjobs=2\n",
                "d/a.0.0@0+1048576 d/a.1.0@1024+1114112",
            ),
            (
                "[a]\nfilename=s\nsize=1m\n[b]\nfilename=s\nsize=3m\n[c]\nfilename=s\nsize=50%\n[d]\nfilename=t\nsize=1m\n",
                "s@0+3145728 t@3072+1048576",
            ),
        ] {
            assert_eq!(lay_out(jobs).unwrap(), files, "{jobs}");
        }
    }

    #[test]
    fn a_file_without_a_size_and_one_beyond_the_drive_are_errors() {
        for (jobs, words) in [
            (
                "[a]\nfilename=x\nsize=1m\n[b]\nfilename=y\nio_size=1m\n",
                "t.fio:4: job `b`: nothing says how long its file y",
            ),
            ("[a]\nfilename=x:y\nsize=50%\n", "how long its file x"),
            (
                "[a]\ndirectory=d\nsize=600m\nnumjobs=2\n",
                "its file d/a.1.0 would end at byte 1258291200, and the drive has 1073741824",
            ),
        ] {
            let error = lay_out(jobs).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
