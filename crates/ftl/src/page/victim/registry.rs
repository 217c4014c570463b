//! The policies that a drive file can name: name, parameters, how each is made. A program adds its own
//! with [`register`].

use super::{CostBenefit, DChoices, Fifo, Greedy, VictimPolicy, WindowedGreedy};
use ftlab_base::rng::Stream;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{PoisonError, RwLock};
use thiserror::Error;

/// A number that a policy needs, from 1 to `most`: a key of `[gc]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the key in `[gc]`.
    pub name: &'static str,
    /// The thing that it counts, in words.
    pub meaning: &'static str,
    /// The most it may be.
    pub most: u32,
}

/// A policy that a drive file can name.
#[derive(Debug)]
pub struct Registered {
    /// The value of `gc.policy`.
    pub name: &'static str,
    /// Numbers that it needs.
    pub parameters: &'static [Parameter],
    make: Make,
}

/// Function that makes a policy; this draws at random from the stream, if it draws.
#[derive(Debug)]
enum Make {
    Plain(fn(Stream) -> Box<dyn VictimPolicy>),
    /// The numbers are those of the parameters, in their order.
    WithNumbers(fn(&[NonZeroU32], Stream) -> Box<dyn VictimPolicy>),
}

impl Registered {
    /// A policy without parameters, for [`register`]. `make` is called for every drive that is built; what
    /// the policy draws at random it takes from the stream given, which depends on the drive's seed.
    /// The name is all that results and hashes of drive files say of the policy, so it says the
    /// policy's numbers as well: `minimum-age-400`.
    #[must_use]
    pub const fn new(name: &'static str, make: fn(Stream) -> Box<dyn VictimPolicy>) -> Registered {
        Registered {
            name,
            parameters: &[],
            make: Make::Plain(make),
        }
    }
}

const CHOICES: Parameter = Parameter {
    name: "choices",
    meaning: "full superblocks drawn at random for a choice",
    // More than a group has superblocks is greedy, at a price in time.
    most: 1 << 16,
};

const WINDOW: Parameter = Parameter {
    name: "window",
    meaning: "oldest full superblocks among which to choose",
    most: u32::MAX,
};

/// The policies that come along.
pub const POLICIES: &[Registered] = &[
    Registered::new("greedy", |_| Box::new(Greedy)),
    Registered::new("fifo", |_| Box::new(Fifo)),
    Registered::new("random", |stream| {
        Box::new(DChoices::new(NonZeroU32::MIN, stream))
    }),
    Registered {
        name: "d-choices",
        parameters: &[CHOICES],
        make: Make::WithNumbers(|given, stream| Box::new(DChoices::new(given[0], stream))),
    },
    Registered::new("cost-benefit", |_| Box::new(CostBenefit)),
    Registered {
        name: "windowed-greedy",
        parameters: &[WINDOW],
        make: Make::WithNumbers(|given, _| Box::new(WindowedGreedy::new(given[0]))),
    },
];

/// Reason for which a policy cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// No policy has the name.
    #[error("policy `{name}` is none of: {}", policy_names().join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A parameter is not given.
    #[error("policy `{policy}` needs `{}`: {}", .parameter.name, .parameter.meaning)]
    Missing {
        /// Name of the policy.
        policy: &'static str,
        /// The parameter that is missing.
        parameter: Parameter,
    },
    /// A parameter is given that the policy does not use.
    #[error("policy `{policy}` does not use `{parameter}`; leave it out")]
    Unused {
        /// Name of the policy.
        policy: &'static str,
        /// Name of the parameter that was given.
        parameter: String,
    },
    /// A parameter is 0 or too large.
    #[error("`{}` is {value}; the least is 1 and the most {}", .parameter.name, .parameter.most)]
    OutOfRange {
        /// The parameter with its limit.
        parameter: Parameter,
        /// The value that was given.
        value: u32,
    },
}

/// Reason for which a policy of one's own cannot have its name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegisterError {
    /// Another policy has the name.
    #[error("there is a policy `{0}` already; give yours another name")]
    Taken(&'static str),
    /// A drive file or a setting would not take it as it is.
    #[error(
        "`{0}` is no name of a policy: use small letters, digits and hyphens, and at least one"
    )]
    Name(&'static str),
}

/// Policies of the program's own, added to [`POLICIES`]. They belong to the process, as the policies
/// that come along do, so whatever reads a drive file finds them.
static OWN: RwLock<Vec<&'static Registered>> = RwLock::new(Vec::new());

/// All policies: those that come along, then the program's own.
fn all() -> Vec<&'static Registered> {
    // Nothing is left half done where a push can panic.
    let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
    POLICIES.iter().chain(own.iter().copied()).collect()
}

/// Adds policies of the caller's own to those that drive files and settings of this process can name.
///
/// # Errors
/// When a name is taken or is none; the policies before it are added.
pub fn register(policies: &'static [Registered]) -> Result<(), RegisterError> {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    for policy in policies {
        let fits = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
        if policy.name.is_empty() || !policy.name.chars().all(fits) {
            return Err(RegisterError::Name(policy.name));
        }
        let mut others = POLICIES.iter().chain(own.iter().copied());
        if others.any(|other| other.name == policy.name) {
            return Err(RegisterError::Taken(policy.name));
        }
        own.push(policy);
    }
    Ok(())
}

/// Returns true if a program has brought policies of its own.
#[must_use]
pub fn has_own_policies() -> bool {
    !OWN.read()
        .unwrap_or_else(PoisonError::into_inner)
        .is_empty()
}

/// The names of all policies.
#[must_use]
pub fn policy_names() -> Vec<&'static str> {
    all().into_iter().map(|policy| policy.name).collect()
}

/// The policy called `name`, if there is one.
#[must_use]
pub fn registered(name: &str) -> Option<&'static Registered> {
    all().into_iter().find(|policy| policy.name == name)
}

/// Makes the policy called `name` of the parameters given, by key; what it draws at random comes
/// from `stream`.
///
/// # Errors
/// When there is no such policy, or the parameters are not the ones it needs.
pub fn policy(
    name: &str,
    given: &BTreeMap<&str, u32>,
    stream: Stream,
) -> Result<Box<dyn VictimPolicy>, PolicyError> {
    let unknown = || PolicyError::Unknown { name: name.into() };
    let entry = registered(name).ok_or_else(unknown)?;
    let is_used = |key: &str| entry.parameters.iter().any(|p| p.name == key);
    // A number that decides nothing would look as if it did.
    if let Some(unused) = given.keys().find(|key| !is_used(key)) {
        return Err(PolicyError::Unused {
            policy: entry.name,
            parameter: (*unused).into(),
        });
    }
    let value = |&parameter: &Parameter| {
        let policy = entry.name;
        let missing = PolicyError::Missing { policy, parameter };
        let value = *given.get(parameter.name).ok_or(missing)?;
        let fits = NonZeroU32::new(value).filter(|value| value.get() <= parameter.most);
        fits.ok_or(PolicyError::OutOfRange { parameter, value })
    };
    let values: Vec<NonZeroU32> = entry
        .parameters
        .iter()
        .map(value)
        .collect::<Result<_, _>>()?;
    Ok(match entry.make {
        Make::Plain(make) => make(stream),
        Make::WithNumbers(make) => make(&values, stream),
    })
}
