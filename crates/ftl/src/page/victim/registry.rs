//! The policies that come along: name, parameters, how each is made. A program's own stand beside these where drive files
//! are read (`OwnPolicies` of `ftlab-drive`).

use super::{CostBenefit, DChoices, Fifo, Greedy, VictimPolicy, WindowedGreedy};
use ftlab_base::rng::Stream;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
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

/// A policy that every drive file can name.
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
    /// A policy without parameters.
    const fn plain(name: &'static str, make: fn(Stream) -> Box<dyn VictimPolicy>) -> Registered {
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
    Registered::plain("greedy", |_| Box::new(Greedy)),
    Registered::plain("fifo", |_| Box::new(Fifo)),
    Registered::plain("random", |stream| {
        Box::new(DChoices::new(NonZeroU32::MIN, stream))
    }),
    Registered {
        name: "d-choices",
        parameters: &[CHOICES],
        make: Make::WithNumbers(|given, stream| Box::new(DChoices::new(given[0], stream))),
    },
    Registered::plain("cost-benefit", |_| Box::new(CostBenefit)),
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
    #[error("policy `{name}` is none of: {}", .known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
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
        policy: String,
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

/// The policy called `name` of those that come along, if there is one.
#[must_use]
pub fn registered(name: &str) -> Option<&'static Registered> {
    POLICIES.iter().find(|policy| policy.name == name)
}

/// Makes the policy called `name`, of those that come along, with the parameters given, by key; what it draws at random
/// comes from `stream`.
///
/// # Errors
/// When there is no such policy, or the parameters are not the ones it needs.
pub fn policy(
    name: &str,
    given: &BTreeMap<&str, u32>,
    stream: Stream,
) -> Result<Box<dyn VictimPolicy>, PolicyError> {
    let unknown = || PolicyError::Unknown {
        name: name.into(),
        known: POLICIES.iter().map(|known| known.name.into()).collect(),
    };
    let entry = registered(name).ok_or_else(unknown)?;
    let is_used = |key: &str| entry.parameters.iter().any(|p| p.name == key);
    // A number that decides nothing would look as if it did.
    if let Some(unused) = given.keys().find(|key| !is_used(key)) {
        return Err(PolicyError::Unused {
            policy: entry.name.into(),
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
