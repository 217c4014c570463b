//! The origin of this program: its version, the model's, and the commit of its sources.

use crate::own;
use ftlab_drive::Catalog;
use ftlab_result::Provenance;
use std::sync::LazyLock;

/// Digits of a commit that people are shown.
const COMMIT_DIGITS: usize = 12;

/// The commit, as the build script found it.
pub fn here() -> Provenance {
    Provenance {
        commit: env!("FTLAB_COMMIT").to_owned(),
        modified: match env!("FTLAB_MODIFIED") {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
    }
}

/// Version, model and commit in a line.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| words(&here()));
    &VERSION
}

/// Returns a text that tells the model of this program from those of others of its version. Every build of a commit
/// has the model of its version; sources that were changed may be any model, and so may a program with policies of
/// its own: only their own build is sure to be the same one. A program that cannot read its own file is known by its
/// version alone.
pub fn simulator(catalog: &Catalog) -> String {
    let program =
        may_have_its_own_model(&here(), catalog).then(|| own::code().and_then(std::fs::read));
    let program = program.and_then(Result::ok).unwrap_or_default();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&program))
}

fn may_have_its_own_model(here: &Provenance, catalog: &Catalog) -> bool {
    here.modified != Some(false) || !catalog.policies().is_empty()
}

fn words(Provenance { commit, modified }: &Provenance) -> String {
    let commit = &commit[..commit.len().min(COMMIT_DIGITS)];
    let state = match modified {
        Some(true) => ", modified",
        Some(false) => "",
        None => ", not known whether modified",
    };
    let version = ftlab_drive::version();
    format!("{version}, commit {commit}{state}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::{OwnPolicies, OwnVictim};
    use ftlab_ftl::page::Fifo;

    #[test]
    fn a_changed_tree_is_told_and_an_unknown_one_is_not_taken_for_unchanged() {
        let of = |commit: &str, modified| {
            words(&Provenance {
                commit: commit.to_owned(),
                modified,
            })
        };
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert!(of(commit, Some(false)).ends_with("commit 0123456789ab"));
        assert!(of(commit, Some(true)).ends_with("commit 0123456789ab, modified"));
        assert!(of("unknown", None).ends_with("commit unknown, not known whether modified"));
    }

    #[test]
    fn sources_that_were_changed_and_policies_of_its_own_make_a_program_its_own() {
        let own = OwnPolicies::of(&[OwnVictim::new("mine", |_| Box::new(Fifo))]).unwrap();
        let (plain, own) = (Catalog::default(), Catalog::with(own));
        let is_its_own = |modified, catalog| {
            let commit = String::new();
            may_have_its_own_model(&Provenance { commit, modified }, catalog)
        };
        assert!(!is_its_own(Some(false), &plain));
        for (modified, catalog) in [(Some(true), &plain), (None, &plain), (Some(false), &own)] {
            assert!(is_its_own(modified, catalog), "{modified:?}, {catalog:?}");
        }
    }
}
