//! Binding of jobs to the devices of a target, by `filename`, `directory` and the names that devices were given.
//!
//! Paths under `/dev` are devices, and several of them need a drive each. Other names are files. A target of one device
//! without a name takes every job. On devices with names a file is the one whose name is the file's as given
//! (`/dev/nvme0n1`), its last part (`nvme0n1`), or that up to NVMe's namespace (`nvme0`); or it lies on the one whose
//! name is a folder of its path (`/data`).

use super::error::JobError;
use super::file::JobFile;
use super::file_names::is_device;
use super::parts::Region;
use super::spec::JobSpec;
use crate::units::Size;
use std::collections::BTreeSet;

/// The device of a name of a job's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    /// The name is the device, or the job has none.
    Device(usize),
    /// The name is a file on the device.
    File(usize, String),
}

/// Names that a device may have to be a file: as given, its last part, and that without a namespace.
fn names_of(file: &str) -> impl Iterator<Item = &str> {
    let base = file.rsplit('/').next().unwrap_or(file);
    let controller = base.rsplit_once('n').filter(|(controller, space)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        controller.strip_prefix("nvme").is_some_and(is_number) && is_number(space)
    });
    [Some(file), Some(base), controller.map(|(name, _)| name)]
        .into_iter()
        .flatten()
}

impl JobFile {
    /// The files that its jobs have by name, in order, each once.
    fn named_files(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let files = self.jobs.iter().flat_map(JobSpec::file_names);
        files.filter(|file| seen.insert(file.clone())).collect()
    }

    /// The devices of each job, by their places in `devices`, which are names; the one device that takes
    /// every job has an empty name.
    ///
    /// # Errors
    /// When jobs name several devices and there is one without a name, when a file is no device or
    /// several, a device no file, and when a job names none of several devices.
    pub(super) fn bind(&self, devices: &[&str]) -> Result<Vec<Vec<Bound>>, JobError> {
        let files = self.named_files();
        let mut bound = match devices {
            [""] => self.bind_to_one(&files)?,
            devices => {
                let jobs = self.jobs.iter().map(|job| job.bind(devices));
                jobs.collect::<Result<Vec<_>, _>>()?
            }
        };
        let is_used = |place: usize| {
            let mut all = bound.iter().flatten();
            all.any(|of| matches!(of, Bound::Device(at) | Bound::File(at, _) if *at == place))
        };
        if let Some(place) = (0..devices.len()).find(|&place| !is_used(place)) {
            return Err(self.jobs[0].error(format!(
                "no job runs on drive {}: the jobs name {}; name a drive as a filename does, by its last part, \
                 or as {}",
                devices[place],
                files.join(", "),
                options(&files),
            )));
        }
        for place in 0..devices.len() {
            leave_alone(&mut bound, place);
        }
        Ok(bound)
    }

    /// Binds all jobs to one device without a name.
    fn bind_to_one(&self, files: &[String]) -> Result<Vec<Vec<Bound>>, JobError> {
        // One drive may be any device, but two devices cannot both be it.
        if files.len() > 1 && files.iter().any(|file| is_device(file)) {
            let last = (self.jobs.iter()).rfind(|job| !job.file_names().is_empty());
            return Err(last.unwrap_or(&self.jobs[0]).error(format!(
                "the jobs name {} devices and files ({}) and there is one drive; give each its own with {}, or all jobs \
                 the same filename or none; names that do not begin with /dev are files, which lie end to end on one drive",
                files.len(),
                files.join(", "),
                options(files),
            )));
        }
        let jobs = self.jobs.iter().map(|job| match job.file_names() {
            none if none.is_empty() => vec![Bound::Device(0)],
            names => names.into_iter().map(|name| Bound::File(0, name)).collect(),
        });
        Ok(jobs.collect())
    }
}

/// A file that is alone on its device is all of it.
fn leave_alone(bound: &mut [Vec<Bound>], place: usize) {
    let names = bound.iter().flatten().filter_map(|of| match of {
        Bound::File(at, name) if *at == place => Some(name),
        _ => None,
    });
    if names.collect::<BTreeSet<_>>().len() > 1 {
        return;
    }
    for of in bound.iter_mut().flatten() {
        if matches!(of, Bound::File(at, _) if *at == place) {
            *of = Bound::Device(place);
        }
    }
}

/// The options that would give each device a drive, and all files of a folder one.
fn options(files: &[String]) -> String {
    let option = |file: &String| match is_device(file) {
        true => {
            let names: Vec<&str> = names_of(file).collect();
            format!("--drive {}=DRIVE", names[names.len() - 1])
        }
        false => match file.rsplit_once('/') {
            Some((folder, _)) if !folder.is_empty() => format!("--drive {folder}=DRIVE"),
            _ => format!("--drive {file}=DRIVE"),
        },
    };
    let mut options: Vec<String> = files.iter().map(option).collect();
    options.dedup();
    options.join(" ")
}

/// Returns true if a file lies in a folder or below it.
fn lies_in(file: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    file.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

impl JobSpec {
    /// Its devices, by their places among the names.
    fn bind(&self, devices: &[&str]) -> Result<Vec<Bound>, JobError> {
        let names = self.file_names();
        if names.is_empty() {
            return match devices.len() {
                1 => Ok(vec![Bound::Device(0)]),
                _ => Err(self.error(format!(
                    "it names no file, and there are the drives {}; give it filename={}",
                    devices.join(", "),
                    devices[0],
                ))),
            };
        }
        let place = |file: String| {
            let is_device = |place: &usize| names_of(&file).any(|name| name == devices[*place]);
            let places: Vec<usize> = (0..devices.len()).filter(is_device).collect();
            let folders = (0..devices.len()).filter(|&place| lies_in(&file, devices[place]));
            match (&places[..], folders.max_by_key(|&place| devices[place].len())) {
                (&[place], _) => Ok(Bound::Device(place)),
                ([], Some(place)) => Ok(Bound::File(place, file)),
                ([], None) => Err(self.error(format!(
                    "no drive is its filename {file}, or a folder of it: there are {}; add {}",
                    devices.join(", "),
                    options(std::slice::from_ref(&file)),
                ))),
                _ => Err(self.error(format!(
                    "its filename {file} may be the drive {} or {}; give drives names of which it has one",
                    devices[places[0]], devices[places[1]],
                ))),
            }
        };
        names.into_iter().map(place).collect()
    }

    /// Returns the job's part on the `nth` of its `of` files, from 0: sizes in bytes and counts of requests are of
    /// all together, as in fio, percentages of each. None if nothing is left.
    #[must_use]
    pub fn share(&self, nth: u64, of: u64) -> Option<JobSpec> {
        if of == 1 {
            return Some(self.clone());
        }
        let part = |size: Size| match size {
            Size::Bytes(bytes) => Size::Bytes(bytes / of),
            percent @ Size::Percent(_) => percent,
        };
        let ios = self.length.number_ios.filter(|&ios| ios > 0);
        // They take turns of `switches_file_after` requests; the last round may end in the middle.
        let turn = self.files.switches_file_after;
        let in_turns = |ios: u64| match turn.checked_mul(of) {
            None => ios.saturating_sub(nth.saturating_mul(turn)).min(turn),
            Some(round) => {
                let rest = (ios % round).saturating_sub(nth * turn).min(turn);
                ios / round * turn + rest
            }
        };
        let ios = ios.map(in_turns);
        (ios != Some(0)).then(|| {
            let mut share = self.clone();
            share.region.size = self.region.size.map(part);
            share.length.io_size = self.length.io_size.map(part);
            share.length.number_ios = ios;
            share
        })
    }
}

impl JobSpec {
    /// Returns the job's part on the `nth` of the files that it has end to end on one device; none if nothing is left.
    #[must_use]
    pub fn file(&self, nth: u64, device_bytes: u64) -> Option<JobSpec> {
        let of_device = |percent: u8| (u128::from(device_bytes) * u128::from(percent) / 100) as u64;
        let all = match self.region.size {
            Some(Size::Bytes(bytes)) => bytes,
            Some(Size::Percent(percent)) => of_device(percent),
            None => device_bytes,
        };
        let least = self
            .kinds()
            .iter()
            .map(|&kind| self.sizes.bs.of(kind))
            .min();
        let block = least.unwrap_or(1).max(1);
        let bytes = self.region.filesize.unwrap_or(all / self.files.nrfiles);
        let within = match self.region.offset {
            Size::Bytes(bytes) => bytes,
            Size::Percent(percent) => (u128::from(bytes) * u128::from(percent) / 100) as u64,
        };
        let file_bytes = match self.region.filesize {
            Some(bytes) => bytes,
            None => bytes.saturating_add(within),
        };
        // No request reaches beyond the last whole block of its file.
        let apart = (bytes - bytes % block).saturating_add(file_bytes - bytes);
        let mut file = self.share(nth, self.files.nrfiles)?;
        file.region = Region {
            offset: Size::Bytes(nth.saturating_mul(apart).saturating_add(within)),
            size: Some(Size::Bytes(file_bytes.saturating_sub(within))),
            filesize: None,
            ..file.region
        };
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of each job's devices, with the names of files on them.
    fn bind(text: &str, devices: &[&str]) -> Result<String, String> {
        let file = JobFile::parse(text, "t.fio").unwrap();
        let word = |of: &Bound| match of {
            Bound::Device(place) => place.to_string(),
            Bound::File(place, name) => format!("{place}:{name}"),
        };
        let words = |job: &Vec<Bound>| job.iter().map(word).collect::<Vec<_>>().join(" ");
        let bound = file.bind(devices).map_err(|error| error.to_string())?;
        Ok(bound.iter().map(words).collect::<Vec<_>>().join(" | "))
    }

    const THREE: &str = "[a]\nfilename=/dev/nvme0n1:/dev/nvme1n1\n[b]\nfilename=/dev/nvme2n1\n";

    #[test]
    fn one_drive_takes_all_jobs_of_one_file_or_none() {
        let all = Ok("0 | 0".to_owned());
        assert_eq!(bind("[a]\n[b]\nfilename=/dev/sda\n", &[""]), all);
        assert_eq!(bind("[global]\nfilename=x\n[a]\n[b]\n", &[""]), all);
        let error = bind(THREE, &[""]).unwrap_err();
        let how = "--drive nvme0=DRIVE --drive nvme1=DRIVE --drive nvme2=DRIVE";
        assert!(
            error.contains("3 devices") && error.contains(how),
            "{error}"
        );
    }

    #[test]
    fn drives_are_files_by_path_by_last_part_and_by_controller() {
        let bound = Ok("0 1 | 2".to_owned());
        assert_eq!(bind(THREE, &["nvme0", "nvme1n1", "/dev/nvme2n1"]), bound);
    }

    #[test]
    fn names_that_are_no_devices_are_files_of_a_drive() {
        let two = "[a]\nfilename=/data/base\n[b]\nfilename=/wal/log\n[c]\nfilename=/data/./base\n";
        let on_one = "0:/data/base | 0:/wal/log | 0:/data/base";
        assert_eq!(bind(two, &[""]).unwrap(), on_one);
        // Drives that are folders: a file that is alone on one is all of it.
        assert_eq!(bind(two, &["/data", "/wal"]).unwrap(), "0 | 1 | 0");
        assert_eq!(bind(two, &["base", "log"]).unwrap(), "0 | 1 | 0");
        let three = format!("{two}[d]\ndirectory=/data\nnumjobs=2\n");
        assert_eq!(
            bind(&three, &["/data/", "/wal"]).unwrap(),
            "0:/data/base | 1 | 0:/data/base | 0:/data/d.0.0 | 0:/data/d.1.0"
        );
        let error = bind(two, &["/data", "sda"]).unwrap_err();
        assert!(error.contains("--drive /wal=DRIVE"), "{error}");
        let error = bind("[a]\nfilename=/dev/sda\n[b]\nfilename=x\n", &[""]).unwrap_err();
        assert!(
            error.contains("--drive sda=DRIVE --drive x=DRIVE"),
            "{error}"
        );
    }

    #[test]
    fn a_name_without_a_drive_and_a_drive_without_a_name_are_errors() {
        let error = bind(THREE, &["nvme0", "nvme1"]).unwrap_err();
        assert!(
            error.contains("job `b`") && error.contains("--drive nvme2=DRIVE"),
            "{error}"
        );
        let error = bind("[a]\nfilename=x\n", &["x", "y"]).unwrap_err();
        assert!(error.contains("drive y"), "{error}");
        let error = bind("[a]\nfilename=x\n[b]\n", &["x", "y"]).unwrap_err();
        assert!(
            error.contains("job `b`") && error.contains("filename=x"),
            "{error}"
        );
        let error = bind("[a]\nfilename=/dev/x\n", &["x", "/dev/x"]).unwrap_err();
        assert!(error.contains("x or /dev/x"), "{error}");
    }

    #[test]
    fn files_share_amounts_and_have_percentages_each() {
        let text = "[a]\nfilename=x:y\nsize=8m\nio_size=50%\nnumber_ios=3\n";
        let file = JobFile::parse(text, "t.fio").unwrap();
        let share = |nth| file.jobs[0].share(nth, 2).unwrap();
        assert_eq!(share(0).region.size, Some(Size::Bytes(4 << 20)));
        assert_eq!(share(0).length.io_size, Some(Size::Percent(50)));
        assert_eq!(
            [share(0).length.number_ios, share(1).length.number_ios],
            [Some(2), Some(1)]
        );
        let one = JobFile::parse("[a]\nfilename=x:y\nnumber_ios=1\n", "t.fio").unwrap();
        assert!(one.jobs[0].share(1, 2).is_none(), "nothing is left for it");
    }
}
