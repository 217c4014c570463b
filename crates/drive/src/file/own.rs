//! Policies that a program brings, which no file can have: files name them.

use ftlab_base::rng::Stream;
use ftlab_ftl::page::{POLICIES, PacingPolicy, PolicyError, VictimPolicy, policy, registered};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use thiserror::Error;

/// Function that makes a victim policy; this draws at random from the stream, if it draws.
type MakeVictim = Arc<dyn Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync>;

type MakePacing = Arc<dyn Fn() -> Box<dyn PacingPolicy> + Send + Sync>;

/// What a name may have beside letters and digits: Python calls a function `python:<lambda>`.
const OTHERS: &str = "-_.:<>";

/// The pace of collection that has a name and comes along.
pub(super) const IN_STEP: &str = "in-step";

/// A victim policy of a program's own, in a table of them.
#[derive(Debug, Clone, Copy)]
pub struct OwnVictim {
    name: &'static str,
    make: fn(Stream) -> Box<dyn VictimPolicy>,
}

impl OwnVictim {
    /// The policy that `gc.policy` calls `name`. `make` is called for every drive that is built; what the policy draws at
    /// random it takes from the stream given, which depends on the drive's seed.
    /// The name is all that results and hashes of drive files say of the policy, so it says the
    /// policy's numbers as well: `minimum-age-400`.
    #[must_use]
    pub const fn new(name: &'static str, make: fn(Stream) -> Box<dyn VictimPolicy>) -> OwnVictim {
        OwnVictim { name, make }
    }
}

/// Reason for which a policy of one's own cannot have its name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolicyNameError {
    /// Another policy has the name.
    #[error("there is a policy `{0}` already; give yours another name")]
    Taken(String),
    /// A setting, a list of them or a shell would not take it as it is.
    #[error(
        "`{0}` is no name of a policy: use letters, digits and any of {OTHERS}, and at least one"
    )]
    Name(String),
}

/// Policies beside those that come along: what `gc.policy` and `gc.pacing` may say as well, in the drive files of the
/// [`Catalog`](super::Catalog) that is made [with](super::Catalog::with) them.
#[derive(Clone, Default)]
pub struct OwnPolicies {
    victims: BTreeMap<String, MakeVictim>,
    pacings: BTreeMap<String, MakePacing>,
}

impl OwnPolicies {
    /// The victim policies of a table.
    ///
    /// # Errors
    /// As [`OwnPolicies::add_victim`], for the first that has no name of its own.
    pub fn of(victims: &[OwnVictim]) -> Result<OwnPolicies, PolicyNameError> {
        let mut own = OwnPolicies::default();
        for victim in victims {
            own.add_victim(victim.name, victim.make)?;
        }
        Ok(own)
    }

    /// Adds a victim policy, which is made for every drive that is built.
    ///
    /// # Errors
    /// When a policy has the name already, or it is none: it is empty, or has more than letters, digits and `-_.:<>`.
    pub fn add_victim(
        &mut self,
        name: &str,
        make: impl Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync + 'static,
    ) -> Result<(), PolicyNameError> {
        let is_taken = registered(name).is_some() || self.victims.contains_key(name);
        check(name, is_taken)?;
        self.victims.insert(name.to_owned(), Arc::new(make));
        Ok(())
    }

    /// Adds a pacing policy, which is made for every drive that is built.
    ///
    /// # Errors
    /// As [`OwnPolicies::add_victim`].
    pub fn add_pacing(
        &mut self,
        name: &str,
        make: impl Fn() -> Box<dyn PacingPolicy> + Send + Sync + 'static,
    ) -> Result<(), PolicyNameError> {
        check(name, name == IN_STEP || self.pacings.contains_key(name))?;
        self.pacings.insert(name.to_owned(), Arc::new(make));
        Ok(())
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.victims.is_empty() && self.pacings.is_empty()
    }

    /// The names that `gc.policy` may say: of the policies that come along, then of these.
    #[must_use]
    pub fn victim_names(&self) -> Vec<String> {
        let along = POLICIES.iter().map(|policy| policy.name.to_owned());
        along.chain(self.victims.keys().cloned()).collect()
    }

    /// The names that `gc.pacing` may say.
    pub(super) fn pacing_names(&self) -> Vec<&str> {
        let own = self.pacings.keys().map(String::as_str);
        std::iter::once(IN_STEP).chain(own).collect()
    }

    /// Makes a victim policy, one that comes along or one of these, which have no parameters.
    pub(super) fn victim(
        &self,
        name: &str,
        given: &BTreeMap<&str, u32>,
        stream: Stream,
    ) -> Result<Box<dyn VictimPolicy>, PolicyError> {
        let Some(make) = self.victims.get(name) else {
            return policy(name, given, stream).map_err(|why| match why {
                PolicyError::Unknown { name, .. } => PolicyError::Unknown {
                    name,
                    known: self.victim_names(),
                },
                why => why,
            });
        };
        match given.keys().next() {
            None => Ok(make(stream)),
            Some(unused) => Err(PolicyError::Unused {
                policy: name.to_owned(),
                parameter: (*unused).to_owned(),
            }),
        }
    }

    /// Makes one of these pacing policies.
    pub(super) fn pacing(&self, name: &str) -> Option<Box<dyn PacingPolicy>> {
        self.pacings.get(name).map(|make| make())
    }
}

/// Checks that a policy can have a name.
fn check(name: &str, is_taken: bool) -> Result<(), PolicyNameError> {
    let fits = |c: char| c.is_alphanumeric() || OTHERS.contains(c);
    if name.is_empty() || !name.chars().all(fits) {
        return Err(PolicyNameError::Name(name.to_owned()));
    }
    match is_taken {
        true => Err(PolicyNameError::Taken(name.to_owned())),
        false => Ok(()),
    }
}

impl Debug for OwnPolicies {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = self.victims.keys().chain(self.pacings.keys());
        f.debug_set().entries(names).finish()
    }
}
