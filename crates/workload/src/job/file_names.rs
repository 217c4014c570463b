//! Names of the files that jobs have, as fio makes them of `filename`, `directory` and `filename_format`.

use super::spec::JobSpec;

/// The format of names that fio has by default.
const FORMAT: &str = "$jobname.$jobnum.$filenum";

/// Returns true if a path names a device, not a file.
pub fn is_device(path: &str) -> bool {
    let is_in_dev = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    is_in_dev || path.starts_with(r"\\.\")
}

/// A path without parts that lead nowhere, so that one file has one name.
fn plain(path: &str) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let parts = parts.collect::<Vec<_>>().join("/");
    match path.starts_with('/') {
        true => format!("/{parts}"),
        false => parts,
    }
}

impl JobSpec {
    /// The names of its files, in order, each once; none for a job that names neither files nor a directory.
    ///
    /// As in fio, clones share the files that `filename` names, and each has its own where only a directory is named.
    pub(super) fn file_names(&self) -> Vec<String> {
        let files = &self.files;
        let within = |folder: Option<&String>, name: &str| match folder {
            Some(folder) => plain(&format!("{folder}/{name}")),
            None if is_device(name) => name.to_owned(),
            None => plain(name),
        };
        let mut names: Vec<String> = Vec::new();
        if !files.named.is_empty() {
            // fio takes the first of several directories for them.
            let folder = files.directories.first();
            names.extend(files.named.iter().map(|name| within(folder, name)));
        } else if !files.directories.is_empty() || files.format.is_some() {
            let clone = self.clones.clone_index as usize;
            // Each clone takes the next of several directories.
            let folder = files.directories.iter().cycle().nth(clone);
            let format = files.format.as_deref().unwrap_or(FORMAT);
            let format =
                (format.replace("$jobname", &self.name)).replace("$jobnum", &clone.to_string());
            let nth = |n: u64| within(folder, &format.replace("$filenum", &n.to_string()));
            names.extend((0..files.nrfiles).map(nth));
        }
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use crate::JobFile;

    /// Names of fio 3.33, of the files that it left.
    #[test]
    fn files_have_the_names_that_fio_gives_them() {
        for (job, names) in [
            ("directory=d\nnumjobs=2", "d/a.0.0 d/a.1.0"),
            ("directory=d\nnrfiles=3", "d/a.0.0 d/a.0.1 d/a.0.2"),
            ("directory=d:e\nnumjobs=3", "d/a.0.0 e/a.1.0 d/a.2.0"),
            ("directory=d:e\nfilename=q\nnumjobs=2", "d/q d/q"),
            ("filename=x:y\nnrfiles=3", "x y"),
            ("directory=d\nfilename=/z", "d/z"),
            ("filename_format=$jobname-$filenum\nnrfiles=2", "a-0 a-1"),
            (
                "directory=d\nfilename_format=f.$filenum\nnumjobs=2",
                "d/f.0 d/f.0",
            ),
            ("filename=./x:/y/../z//w", "x /y/../z/w"),
            ("filename=/dev/sda", "/dev/sda"),
            ("nrfiles=2\nnumjobs=2", ""),
        ] {
            let file = JobFile::parse(&format!("[a]\n{job}\n"), "t.fio").unwrap();
            let made: Vec<String> = file.jobs.iter().flat_map(|job| job.file_names()).collect();
            assert_eq!(made.join(" "), names, "{job}");
        }
    }
}
