//! Settings as they are typed, each with one or several values.

use crate::drives;
use crate::failure::Failure;
use clap::Args;
use ftlab_bench::variants::{Sweep, Variant, all};
use ftlab_drive::Catalog;
use ftlab_lab::Subject;
use std::collections::BTreeSet;

#[derive(Debug, Args)]
pub struct SetOption {
    /// Change a number of the drive file, for example spare.op=28%; may be repeated. Each of several values, separated by commas, makes a drive of its own
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl SetOption {
    /// Tells if a number is changed.
    pub fn is_given(&self) -> bool {
        !self.settings.is_empty()
    }

    /// The drives of those names with what is set, each in all its variants.
    ///
    /// # Errors
    /// As [`drives::subjects`] and [`read`].
    pub fn drives(&self, catalog: &Catalog, names: &[String]) -> Result<Vec<Subject>, Failure> {
        let variants = all(&read(&last_of_each(&self.settings))?);
        let load = |variant: &Variant| drives::subjects(catalog, names, &variant.settings);
        let loaded: Vec<Vec<Subject>> = variants.iter().map(load).collect::<Result<_, _>>()?;
        let mut loaded: Vec<_> = loaded.into_iter().map(Vec::into_iter).collect();
        let mut drives = Vec::new();
        // The variants of a drive stand together.
        while loaded.iter().any(|rest| rest.len() > 0) {
            let of_drive = loaded.iter_mut().filter_map(Iterator::next);
            let variants = of_drive.zip(&variants);
            drives.extend(variants.map(|(drive, variant)| drive.being(variant.clone())));
        }
        Ok(drives)
    }
}

/// The settings without those that a later one of the same key overrides.
fn last_of_each(settings: &[String]) -> Vec<String> {
    let key = |setting: &String| setting.split('=').next().map(str::trim).map(str::to_owned);
    let is_last = |n: usize| {
        !settings[n + 1..]
            .iter()
            .any(|later| key(later) == key(&settings[n]))
    };
    let last = (0..settings.len()).filter(|&n| is_last(n));
    last.map(|n| settings[n].clone()).collect()
}

/// Reads settings of the form `key=value` and `key=value,value…`.
///
/// # Errors
/// When a key or a value is missing, or a key or a value is there twice.
pub fn read(settings: &[String]) -> Result<Vec<Sweep>, Failure> {
    let mut keys = BTreeSet::new();
    let mut sweeps = Vec::new();
    for setting in settings {
        let sweep = read_one(setting)?;
        if !keys.insert(sweep.key.clone()) {
            let key = sweep.key;
            return wrong(format!(
                "--set {key} is given twice; give all its values at once"
            ));
        }
        sweeps.push(sweep);
    }
    Ok(sweeps)
}

fn read_one(setting: &str) -> Result<Sweep, Failure> {
    let Some((key, values)) = setting.split_once('=') else {
        return wrong(format!(
            "--set `{setting}` is not of the form key=value,value…, for example spare.op=0.07,0.28"
        ));
    };
    let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
    let key = key.trim();
    if key.is_empty() || values.iter().any(String::is_empty) {
        return wrong(format!(
            "--set `{setting}`: a key or a value is missing; write key=value,value… without gaps"
        ));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = values.iter().find(|value| !seen.insert(*value)) {
        return wrong(format!(
            "--set `{setting}`: the value {twice} is there twice"
        ));
    }
    Ok(Sweep {
        key: key.to_owned(),
        values,
    })
}

fn wrong<T>(why: String) -> Result<T, Failure> {
    Err(Failure::Input(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas_and_gaps_beside_them_mean_nothing() {
        let settings = ["a.x=1,2", "b.y=7", "c.z=p, q"].map(str::to_owned);
        let sweeps = read(&settings).unwrap();
        let values: Vec<&[String]> = sweeps.iter().map(|sweep| &sweep.values[..]).collect();
        assert_eq!(
            values,
            [
                &["1", "2"].map(str::to_owned)[..],
                &["7".to_owned()],
                &["p", "q"].map(str::to_owned)
            ]
        );
        for wrong in ["a.x", "=1", "a.x=1,", "a.x=1,1"] {
            assert!(read(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
