//! The policies that a drive file can name: name, parameters, how each is made.

use super::{CostBenefit, DChoices, Fifo, Greedy, VictimPolicy, WindowedGreedy};
use ftlab_base::rng::Stream;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use thiserror::Error;

/// A number that a policy needs, from 1 to `most`: a key of `[gc]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// What it counts.
    pub meaning: &'static str,
    /// The most it may be.
    pub most: u32,
}

/// A policy that a drive file can name.
#[derive(Debug)]
pub struct Registered {
    /// The value of `gc.policy`.
    pub name: &'static str,
    /// What it needs.
    pub parameters: &'static [Parameter],
    /// Makes it, of its parameters in that order.
    make: fn(&[NonZeroU32], Stream) -> Box<dyn VictimPolicy>,
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

/// The policies there are.
pub const POLICIES: &[Registered] = &[
    Registered {
        name: "greedy",
        parameters: &[],
        make: |_, _| Box::new(Greedy),
    },
    Registered {
        name: "fifo",
        parameters: &[],
        make: |_, _| Box::new(Fifo),
    },
    Registered {
        name: "random",
        parameters: &[],
        make: |_, stream| Box::new(DChoices::new(NonZeroU32::MIN, stream)),
    },
    Registered {
        name: "d-choices",
        parameters: &[CHOICES],
        make: |given, stream| Box::new(DChoices::new(given[0], stream)),
    },
    Registered {
        name: "cost-benefit",
        parameters: &[],
        make: |_, _| Box::new(CostBenefit),
    },
    Registered {
        name: "windowed-greedy",
        parameters: &[WINDOW],
        make: |given, _| Box::new(WindowedGreedy::new(given[0])),
    },
];

/// Why a policy cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PolicyError {
    /// No policy has the name.
    #[error("policy `{name}` is none of: {}", names().join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A parameter is not given.
    #[error("policy `{policy}` needs `{}`: {}", .parameter.name, .parameter.meaning)]
    Missing {
        /// The policy.
        policy: &'static str,
        /// What it needs.
        parameter: Parameter,
    },
    /// A parameter is given that the policy does not use.
    #[error("policy `{policy}` does not use `{parameter}`; leave it out")]
    Unused {
        /// The policy.
        policy: &'static str,
        /// What was given.
        parameter: String,
    },
    /// A parameter is 0 or too large.
    #[error("`{}` is {value}; the least is 1 and the most {}", .parameter.name, .parameter.most)]
    OutOfRange {
        /// The parameter.
        parameter: Parameter,
        /// What was given.
        value: u32,
    },
}

/// The names of all policies.
fn names() -> Vec<&'static str> {
    POLICIES.iter().map(|p| p.name).collect()
}

/// The policy called `name`, if there is one.
#[must_use]
pub fn registered(name: &str) -> Option<&'static Registered> {
    POLICIES.iter().find(|p| p.name == name)
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
    Ok((entry.make)(&values, stream))
}
