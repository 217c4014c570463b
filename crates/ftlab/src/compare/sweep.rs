//! Settings to sweep: what `--set` says, and the variants of a drive that follow.

use crate::failure::Failure;
use std::collections::BTreeSet;

/// A setting and the values it is tried with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// A key of the drive's file, for example `spare.op`.
    pub key: String,
    /// As given, at least two.
    pub values: Vec<String>,
}

/// One or two sweeps, and what is set for all.
#[derive(Debug, PartialEq, Eq)]
pub struct Sweeps {
    fixed: Vec<String>,
    /// The rows of a table, or its columns if there is no second.
    pub first: Sweep,
    /// The columns of a table.
    pub second: Option<Sweep>,
}

/// One value of each sweep.
#[derive(Debug, PartialEq, Eq)]
pub struct Variant {
    /// Number of the first sweep's value.
    pub first: usize,
    /// Number of the second sweep's value; 0 without one.
    pub second: usize,
    /// Everything to set.
    pub settings: Vec<String>,
    /// What is swept, for example `spare.op=0.07,gc.policy=fifo`.
    pub name: String,
}

impl Sweeps {
    /// Reads `key=value` and `key=value,value…`.
    ///
    /// # Errors
    /// When a key or a value is missing, a key or a value is there twice, or not one or two keys have
    /// several values.
    pub fn read(settings: &[String]) -> Result<Sweeps, Failure> {
        let mut fixed = Vec::new();
        let mut sweeps = Vec::new();
        let mut keys = BTreeSet::new();
        for setting in settings {
            let sweep = read_one(setting)?;
            if !keys.insert(sweep.key.clone()) {
                let key = sweep.key;
                return wrong(format!(
                    "--set {key} is given twice; give all its values at once"
                ));
            }
            match sweep.values.len() {
                1 => fixed.push(setting.clone()),
                _ => sweeps.push(sweep),
            }
        }
        let names: Vec<&str> = sweeps.iter().map(|sweep| sweep.key.as_str()).collect();
        let names = names.join(", ");
        let mut sweeps = sweeps.into_iter();
        match (sweeps.next(), sweeps.next(), sweeps.next()) {
            (Some(first), second, None) => Ok(Sweeps {
                fixed,
                first,
                second,
            }),
            (None, ..) => wrong(
                "nothing to compare; give a --set several values, for example \
                 --set spare.op=0.07,0.15,0.28"
                    .to_owned(),
            ),
            _ => wrong(format!(
                "a table has two sides, and more than two settings have several values ({names}); give \
                 one value to all but two"
            )),
        }
    }

    /// The variants, those of the first sweep's first value first.
    pub fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        for (first, value) in self.first.values.iter().enumerate() {
            let one = format!("{}={value}", self.first.key);
            let Some(second) = &self.second else {
                variants.push(self.variant((first, 0), vec![one]));
                continue;
            };
            for (n, other) in second.values.iter().enumerate() {
                let swept = vec![one.clone(), format!("{}={other}", second.key)];
                variants.push(self.variant((first, n), swept));
            }
        }
        variants
    }

    fn variant(&self, (first, second): (usize, usize), swept: Vec<String>) -> Variant {
        Variant {
            first,
            second,
            name: swept.join(","),
            settings: self.fixed.iter().cloned().chain(swept).collect(),
        }
    }
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

    fn read(settings: &[&str]) -> Result<Sweeps, String> {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Sweeps::read(&settings).map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn two_sweeps_are_tried_with_each_other_and_the_rest_stays() {
        let sweeps = read(&["a.x=1,2", "b.y=7", "c.z=p, q"]).unwrap();
        let variants = sweeps.variants();
        let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(
            names,
            ["a.x=1,c.z=p", "a.x=1,c.z=q", "a.x=2,c.z=p", "a.x=2,c.z=q"]
        );
        assert_eq!(variants[2].settings, ["b.y=7", "a.x=2", "c.z=p"]);
        assert_eq!((variants[3].first, variants[3].second), (1, 1));
    }
}
