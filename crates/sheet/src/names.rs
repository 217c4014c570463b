//! Finding a drive or testbed by its name.

use crate::SheetError;

/// Names more unlike than this are no misspelling of each other.
const ALIKE_LEAST: f64 = 0.75;
const HINTS_MAX: usize = 3;

/// Something that comes along, and everything it is called.
pub struct Named {
    /// The name in files and results.
    pub slug: &'static str,
    /// Other names that it answers to.
    pub others: Vec<String>,
}

impl Named {
    fn any(&self, is_it: impl Fn(&str) -> bool) -> bool {
        is_it(self.slug) || self.others.iter().any(|name| is_it(name))
    }
}

/// The slug of what is called `name`: in its own letters, else in any case of letters, else by parts that
/// follow one another, such as `X25-M`, if nothing else has them. `what` it is and a `hint` where names are
/// listed are for errors.
///
/// # Errors
/// When nothing is called so, or several things are.
pub fn find(
    what: &'static str,
    name: &str,
    known: &[Named],
    hint: String,
) -> Result<&'static str, SheetError> {
    let asked = parts(name);
    let steps: [&dyn Fn(&str) -> bool; 3] = [&|of| of == name, &|of| parts(of) == asked, &|of| {
        asked.len() > 1 && parts(of).contains(&asked)
    }];
    // An exact name wins over one that is a part of several.
    for is_it in steps {
        let found: Vec<&str> = (known.iter())
            .filter(|named| named.any(is_it))
            .map(|named| named.slug)
            .collect();
        match found[..] {
            [] => {}
            [slug] => return Ok(slug),
            _ => {
                return Err(SheetError::Several {
                    what,
                    name: name.to_owned(),
                    found: found.join(", "),
                });
            }
        }
    }
    Err(SheetError::Unknown {
        what,
        name: name.to_owned(),
        nearest: nearest(name, known),
        hint,
    })
}

/// A name in small letters, with a dash before and after each of its parts.
fn parts(name: &str) -> String {
    let small = name.to_lowercase();
    let parts = small.split(|c: char| !c.is_alphanumeric() && c != '.');
    let parts = parts.filter(|part| !part.is_empty());
    parts.fold("-".to_owned(), |all, part| all + part + "-")
}

fn nearest(name: &str, known: &[Named]) -> String {
    // Who leaves out dashes and spaces means what has the same letters and digits: `970evo`.
    let asked = letters(name);
    let has_all = |slug: &&str| asked.len() > 1 && letters(slug).contains(&asked);
    let slugs = || known.iter().map(|named| named.slug);
    let meant: Vec<&str> = slugs().filter(has_all).take(HINTS_MAX).collect();
    match meant[..] {
        [] => near(&name.to_lowercase(), slugs()),
        _ => format!(" (did you mean {}?)", meant.join(" or ")),
    }
}

/// The letters and digits of a name, small.
fn letters(name: &str) -> String {
    let all = name.chars().filter(|c| c.is_alphanumeric());
    all.flat_map(char::to_lowercase).collect()
}

/// Those of the names that one might be a misspelling of, the likeliest first.
pub fn alike<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut alike: Vec<(f64, &str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > ALIKE_LEAST)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.truncate(HINTS_MAX);
    alike.into_iter().map(|(_, known)| known).collect()
}

/// Returns the nearest names as a question in brackets; an empty text if there is none.
#[must_use]
pub fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match alike(name, known).as_slice() {
        [] => String::new(),
        some => format!(" (did you mean {}?)", some.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Result<&'static str, String> {
        let named = |slug, other: &str| Named {
            slug,
            others: vec![other.to_owned()],
        };
        let known = [
            named("intel-x25-m-g1-80", "Intel X25-M (50 nm)"),
            named("intel-x25-m-g2-120", "Intel X25-M"),
            named("intel-x25-e-32", "intel-x25-e"),
            named("seagate-momentus-7200.2", "Momentus"),
            named("samsung-840-pro-256", "Samsung SSD 840 Pro"),
            named("samsung-840", "Samsung 840"),
        ];
        let found = find(
            "drive",
            name,
            &known,
            "`ftlab drives` lists them".to_owned(),
        );
        found.map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_found_in_any_case_and_by_parts() {
        for (name, slug) in [
            ("intel-x25-m-g1-80", "intel-x25-m-g1-80"),
            ("INTEL-X25-M-G1-80", "intel-x25-m-g1-80"),
            ("intel x25-m", "intel-x25-m-g2-120"),
            ("X25-E", "intel-x25-e-32"),
            ("x25_e", "intel-x25-e-32"),
            ("840 Pro", "samsung-840-pro-256"),
            ("samsung-840", "samsung-840"),
            ("momentus", "seagate-momentus-7200.2"),
            ("7200.2", "seagate-momentus-7200.2"),
            ("G2-120", "intel-x25-m-g2-120"),
        ] {
            assert_eq!(found(name).as_deref(), Ok(slug), "{name}");
        }
    }

    #[test]
    fn of_several_none_is_taken() {
        let why = found("X25-M").unwrap_err();
        assert_eq!(
            why,
            "`X25-M` matches several drives: intel-x25-m-g1-80, intel-x25-m-g2-120; name one"
        );
        assert!(found("intel").unwrap_err().contains("intel-x25-e-32"));
    }

    #[test]
    fn a_part_of_a_part_is_no_name_and_neither_is_nothing() {
        for name in ["x2", "25-M", "", "-", "m-g1x"] {
            let why = found(name).unwrap_err();
            assert!(why.starts_with("unknown drive"), "{name}: {why}");
        }
        for (name, meant) in [
            ("x25e", "did you mean intel-x25-e-32?"),
            ("840PRO", "did you mean samsung-840-pro-256?"),
            (
                "x25mg",
                "did you mean intel-x25-m-g1-80 or intel-x25-m-g2-120?",
            ),
        ] {
            let why = found(name).unwrap_err();
            assert!(why.contains(meant), "{name}: {why}");
        }
        let why = found("intel-x25-m-g2-12").unwrap_err();
        assert!(why.contains("did you mean intel-x25-m-g2-120"), "{why}");
    }
}
