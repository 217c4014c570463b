//! The job files, scripts, scenarios and traces that come with ftlab, compiled in.

include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// The files of a folder.
#[derive(Debug, Clone, Copy)]
pub struct Embedded {
    folder: &'static str,
    extension: &'static str,
    /// (name, text), sorted by name, which is without the extension.
    files: &'static [(&'static str, &'static str)],
}

/// Job files of `jobs/*.fio`.
pub const JOBS: Embedded = Embedded {
    folder: "jobs",
    extension: "fio",
    files: JOB_FILES,
};

/// `scripts/*.toml`: scripts and scenarios.
pub const SCRIPTS: Embedded = Embedded {
    folder: "scripts",
    extension: "toml",
    files: SCRIPT_FILES,
};

/// Trace files of `traces/*.toml`.
pub const TRACES: Embedded = Embedded {
    folder: "traces",
    extension: "toml",
    files: TRACE_FILES,
};

impl Embedded {
    /// The names of all of them without their extension, sorted.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|(name, _)| *name)
    }

    /// The path and the text of the file of that name, which is without its extension.
    #[must_use]
    pub fn find(self, name: &str) -> Option<(String, &'static str)> {
        let (name, text) = self.files.iter().find(|(other, _)| *other == name)?;
        Some((format!("{}/{name}.{}", self.folder, self.extension), text))
    }

    /// The name of the file of that text.
    #[must_use]
    pub fn name_of(self, text: &str) -> Option<&'static str> {
        let (name, _) = self.files.iter().find(|(_, other)| *other == text)?;
        Some(name)
    }
}
