//! How far long work is: what does it says so now and then, and whoever waits for it may listen.

/// Hears what is being done and, where it is known, which share of that is done, from 0 to 1.
pub type Watch<'a> = dyn Fn(&str, Option<f64>) + Sync + 'a;

/// For work that nobody waits for.
pub fn nobody(_what: &str, _share: Option<f64>) {}
