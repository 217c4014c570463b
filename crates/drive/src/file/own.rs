//! Policies that a program brings for a drive, which no file can have: files name them.

use ftlab_base::rng::Stream;
use ftlab_ftl::page::{PacingPolicy, VictimPolicy};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// Function that makes a victim policy; this draws at random from the stream, if it draws.
type MakeVictim = Arc<dyn Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync>;

type MakePacing = Arc<dyn Fn() -> Box<dyn PacingPolicy> + Send + Sync>;

/// Policies beside those that every drive file of the process can name ([`policy`](ftlab_ftl::page::policy)): what
/// `gc.policy` and `gc.pacing` may say of the drive that [knows](super::DriveFile::knowing) them.
#[derive(Clone, Default)]
pub struct OwnPolicies {
    victims: BTreeMap<String, MakeVictim>,
    pacings: BTreeMap<String, MakePacing>,
}

impl OwnPolicies {
    /// Adds a victim policy, which is made for every drive that is built.
    pub fn add_victim(
        &mut self,
        name: &str,
        make: impl Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync + 'static,
    ) {
        self.victims.insert(name.to_owned(), Arc::new(make));
    }

    /// Adds a pacing policy, which is made for every drive that is built.
    pub fn add_pacing(
        &mut self,
        name: &str,
        make: impl Fn() -> Box<dyn PacingPolicy> + Send + Sync + 'static,
    ) {
        self.pacings.insert(name.to_owned(), Arc::new(make));
    }

    pub(super) fn victim(&self, name: &str, stream: Stream) -> Option<Box<dyn VictimPolicy>> {
        self.victims.get(name).map(|make| make(stream))
    }

    pub(super) fn pacing(&self, name: &str) -> Option<Box<dyn PacingPolicy>> {
        self.pacings.get(name).map(|make| make())
    }
}

impl Debug for OwnPolicies {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = self.victims.keys().chain(self.pacings.keys());
        f.debug_set().entries(names).finish()
    }
}
