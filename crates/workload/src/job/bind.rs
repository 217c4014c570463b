//! Binding of jobs to the devices of a target, by `filename` and the names that devices were given.
//!
//! A target of one device without a name takes every job, as long as all jobs name the same file or none. On
//! devices with names a file is the one whose name is the file's as given (`/dev/nvme0n1`), its last part
//! (`nvme0n1`), or that up to NVMe's namespace (`nvme0`).

use super::error::JobError;
use super::file::JobFile;
use super::parts::Region;
use super::spec::JobSpec;
use crate::units::Size;
use std::collections::BTreeSet;

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
    /// The files that its jobs name, in order, each once.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let files = self.jobs.iter().flat_map(|job| &job.files.named);
        let files = files.map(String::as_str);
        files.filter(|&file| seen.insert(file)).collect()
    }

    /// The devices of each job, by their places in `devices`, which are names; the one device that takes
    /// every job has an empty name.
    ///
    /// # Errors
    /// When jobs name several files and there is one device without a name, when a file is no device or
    /// several, a device no file, and when a job names none of several devices.
    pub fn bind(&self, devices: &[&str]) -> Result<Vec<Vec<usize>>, JobError> {
        let files = self.files();
        // One drive without a name takes any file, but two files cannot both be it.
        if let [""] = devices {
            if files.len() > 1 {
                let last = self.jobs.iter().rfind(|job| !job.files.named.is_empty());
                return Err(last.unwrap_or(&self.jobs[0]).error(format!(
                    "the jobs name {} files ({}) and there is one drive; give each its own with {}, or all jobs \
                     the same filename or none",
                    files.len(),
                    files.join(", "),
                    options(&files),
                )));
            }
            return Ok(vec![vec![0]; self.jobs.len()]);
        }
        let mut used = BTreeSet::new();
        let mut bound = Vec::new();
        for job in &self.jobs {
            let theirs = job.bind(devices)?;
            used.extend(theirs.iter().copied());
            bound.push(theirs);
        }
        match (0..devices.len()).find(|place| !used.contains(place)) {
            Some(place) => Err(self.jobs[0].error(format!(
                "no job runs on drive {}: the jobs name {}; name a drive as a filename does, by its last part, \
                 or as {}",
                devices[place],
                files.join(", "),
                options(&files),
            ))),
            None => Ok(bound),
        }
    }
}

/// The options that would give each file a drive.
fn options(files: &[&str]) -> String {
    let option = |file: &&str| {
        let names: Vec<&str> = names_of(file).collect();
        format!("--drive {}=DRIVE", names[names.len() - 1])
    };
    files.iter().map(option).collect::<Vec<_>>().join(" ")
}

impl JobSpec {
    /// Its devices, by their places among the names.
    fn bind(&self, devices: &[&str]) -> Result<Vec<usize>, JobError> {
        if self.files.named.is_empty() {
            return match devices.len() {
                1 => Ok(vec![0]),
                _ => Err(self.error(format!(
                    "it names no file, and there are the drives {}; give it filename={}",
                    devices.join(", "),
                    devices[0],
                ))),
            };
        }
        let place = |file: &String| {
            let is_device = |place: &usize| names_of(file).any(|name| name == devices[*place]);
            let places: Vec<usize> = (0..devices.len()).filter(is_device).collect();
            match places[..] {
                [place] => Ok(place),
                [] => Err(self.error(format!(
                    "no drive is its filename {file}: there are {}; add {}",
                    devices.join(", "),
                    options(&[file.as_str()]),
                ))),
                _ => Err(self.error(format!(
                    "its filename {file} may be the drive {} or {}; give drives names of which it has one",
                    devices[places[0]], devices[places[1]],
                ))),
            }
        };
        self.files.named.iter().map(place).collect()
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

    fn bind(text: &str, devices: &[&str]) -> Result<Vec<Vec<usize>>, String> {
        let file = JobFile::parse(text, "t.fio").unwrap();
        file.bind(devices).map_err(|error| error.to_string())
    }

    const THREE: &str = "[a]\nfilename=/dev/nvme0n1:/dev/nvme1n1\n[b]\nfilename=/dev/nvme2n1\n";

    #[test]
    fn one_drive_takes_all_jobs_of_one_file_or_none() {
        let all = Ok(vec![vec![0], vec![0]]);
        assert_eq!(bind("[a]\n[b]\nfilename=/dev/sda\n", &[""]), all);
        assert_eq!(bind("[global]\nfilename=x\n[a]\n[b]\n", &[""]), all);
        let error = bind(THREE, &[""]).unwrap_err();
        let how = "--drive nvme0=DRIVE --drive nvme1=DRIVE --drive nvme2=DRIVE";
        assert!(error.contains("3 files") && error.contains(how), "{error}");
    }

    #[test]
    fn drives_are_files_by_path_by_last_part_and_by_controller() {
        let bound = Ok(vec![vec![0, 1], vec![2]]);
        assert_eq!(bind(THREE, &["nvme0", "nvme1n1", "/dev/nvme2n1"]), bound);
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
