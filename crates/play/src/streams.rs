//! The root of a load's random streams: a function of what the load says, never of the name of its file.

use crate::embedded::{JOBS, SCRIPTS, TRACES};
use ftlab_base::RootSeed;

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

/// The name of the streams of a job file, a script, a scenario or a trace by its text. One that comes with ftlab
/// has those that it has in a review, so that a figure of a report can be run by hand; all others share one.
#[must_use]
pub fn stream_of_text(text: &str) -> String {
    if let Some(job) = JOBS.name_of(text) {
        return format!("{job}.fio");
    }
    let played = SCRIPTS.name_of(text).or_else(|| TRACES.name_of(text));
    played.unwrap_or_default().to_owned()
}

/// The seed of the requests of a text by its stream.
#[must_use]
pub fn seed_of_text(root: RootSeed, text: &str) -> RootSeed {
    seed_of_load(root, &stream_of_text(text))
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
