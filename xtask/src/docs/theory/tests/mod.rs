//! The page in docs/ is the one that its figures draw, and simulated drives come to what its closed forms say.

mod page;
mod values;
