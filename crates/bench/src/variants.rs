//! Variants of drives: numbers of a drive's file, each at one or several values.

use ftlab_drive::DriveFile;
pub use ftlab_lab::Variant;

/// A setting and the values it is tried with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// A key of the drive's file, for example `spare.op`.
    pub key: String,
    /// As given, at least one.
    pub values: Vec<String>,
}

/// Every value of each setting with every value of the others, those of the first setting's first value first.
#[must_use]
pub fn all(sweeps: &[Sweep]) -> Vec<Variant> {
    let (fixed, swept): (Vec<&Sweep>, Vec<&Sweep>) =
        sweeps.iter().partition(|sweep| sweep.values.len() == 1);
    let set = |sweep: &Sweep, n: usize| format!("{}={}", sweep.key, sweep.values[n]);
    let fixed: Vec<String> = fixed.into_iter().map(|sweep| set(sweep, 0)).collect();
    let mut places: Vec<Vec<usize>> = vec![Vec::new()];
    for sweep in &swept {
        let with = |at: &Vec<usize>| {
            let at = at.clone();
            (0..sweep.values.len()).map(move |n| [at.as_slice(), &[n]].concat())
        };
        places = places.iter().flat_map(with).collect();
    }
    let variant = |at: Vec<usize>| {
        let swept: Vec<String> = swept.iter().zip(&at).map(|(s, &n)| set(s, n)).collect();
        Variant {
            name: swept.join(","),
            settings: [fixed.as_slice(), &swept].concat(),
            at,
        }
    };
    places.into_iter().map(variant).collect()
}

/// Returns true if variants are other drives. Variants that differ in words alone, like the drive's name, are a
/// mistake.
#[must_use]
pub fn differ(variants: &[DriveFile]) -> bool {
    let numbers = |drive: &DriveFile| -> Vec<(String, String)> {
        let rows = drive.parameters().into_iter();
        rows.map(|row| (row.key, row.value)).collect()
    };
    let mut all = variants.iter().map(numbers);
    let first = all.next();
    !all.all(|numbers| Some(numbers) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_several_values_are_tried_with_each_other_and_the_rest_stays() {
        let sweep = |key: &str, values: &[&str]| Sweep {
            key: key.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let settings = [
            sweep("a.x", &["1", "2"]),
            sweep("b.y", &["7"]),
            sweep("c.z", &["p", "q"]),
        ];
        let variants = all(&settings);
        let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(
            names,
            ["a.x=1,c.z=p", "a.x=1,c.z=q", "a.x=2,c.z=p", "a.x=2,c.z=q"]
        );
        assert_eq!(variants[2].settings, ["b.y=7", "a.x=2", "c.z=p"]);
        assert_eq!(variants[3].at, [1, 1]);
        let one = all(&settings[1..2]);
        assert_eq!((one.len(), one[0].name.as_str()), (1, ""));
        assert_eq!(one[0].settings, ["b.y=7"]);
        assert_eq!(all(&[]).len(), 1);
    }
}
