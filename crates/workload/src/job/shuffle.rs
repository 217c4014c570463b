//! `shuffle`, a word of ftlab's own: where the blocks lie that come more often than others.

/// The rule by which ranks of a skewed law, and zones, become blocks of a job's region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// As in fio: ranks by its hash, zones one behind the other.
    None,
    /// By a permutation of all blocks, another one for each clone of a job.
    Each,
    /// By one permutation for all jobs that say so, clones among them.
    Shared,
}

impl Shuffle {
    /// The words of job files, and what each means.
    pub const WORDS: [(&'static str, Shuffle); 3] = [
        ("each", Shuffle::Each),
        ("shared", Shuffle::Shared),
        ("none", Shuffle::None),
    ];

    /// The word that job files have for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        let known = Shuffle::WORDS.iter().find(|(_, meaning)| *meaning == self);
        known.map_or("none", |(word, _)| word)
    }
}
