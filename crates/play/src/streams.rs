//! The root of a load's random streams: a function of what the load says, never of the name of its file.

use crate::{scripts, traces};
use ftlab_base::RootSeed;

// (name, text) of every file in `jobs/`, sorted by name.
include!(concat!(env!("OUT_DIR"), "/jobs.rs"));

/// The seed of everything inside a drive and of how it is prepared.
#[must_use]
pub fn drive_seed(root: RootSeed, slug: &str) -> RootSeed {
    root.derive(&format!("drive/{slug}"))
}

/// The seed of the requests of a load of the review by its name: the same on every drive and in every state.
#[must_use]
pub fn seed_of_load(root: RootSeed, name: &str) -> RootSeed {
    root.derive(&format!("job/{name}"))
}

/// The seed of the requests of a job file, a script, a scenario or a trace by its text. One of the review's
/// has the seed that it has there, so that a figure of a report can be run by hand; all others share one.
#[must_use]
pub fn seed_of_text(root: RootSeed, text: &str) -> RootSeed {
    let job = JOBS.iter().find(|(_, other)| *other == text);
    let name = job.map(|(name, _)| format!("{name}.fio"));
    let other = || scripts::name_of(text).or_else(|| traces::name_of(text));
    let name = name.or_else(|| other().map(str::to_owned));
    seed_of_load(root, &name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_of_ones_own_share_a_seed_that_is_no_review_load_s() {
        let [one, other] = ["[a]\nrw=write\n", "[b]\nrw=read\n"];
        assert_eq!(
            seed_of_text(RootSeed(1), one),
            seed_of_text(RootSeed(1), other)
        );
        assert_ne!(
            seed_of_text(RootSeed(1), one),
            seed_of_text(RootSeed(2), one)
        );
        assert_ne!(
            seed_of_text(RootSeed(1), one),
            seed_of_load(RootSeed(1), "randwrite-4k-qd1.fio")
        );
    }
}
