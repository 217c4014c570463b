//! Sections of drive files: keys with what they mean, in one place for reading, for errors and for the guide.

use super::removed::{self, REMOVED};
use ftlab_sheet::names::near;
use ftlab_sheet::one_line;
use ftlab_sheet::quantity::{Dimension, Quantity};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// A key of a section.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Name of the key.
    pub name: &'static str,
    /// Its meaning, from its doc comment.
    pub about: &'static str,
    /// Its type: `time`, `size`, `word` …
    pub takes: &'static str,
    /// Units of a number, and what each is worth in the base unit; none of what is no number.
    pub units: &'static [(&'static str, f64)],
    /// True if it may be left out.
    pub optional: bool,
}

/// A section, as far as a reader of drive files has to know it.
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// Name of the section.
    pub name: &'static str,
    /// The `map.scheme` whose drives have it so; `None` for every drive.
    pub scheme: Option<&'static str>,
    /// Its description, from its doc comment.
    pub about: &'static str,
    /// Its keys, in order.
    pub keys: &'static [Key],
}

/// A section as it is read; made by [`section!`].
pub(super) trait Section: DeserializeOwned {
    const SHEET: Sheet;
}

/// Type of a key's value, in words.
pub(super) trait Takes {
    const WHAT: &'static str;
    const UNITS: &'static [(&'static str, f64)] = &[];
    const OPTIONAL: bool = false;
}

impl<D: Dimension> Takes for Quantity<D> {
    const WHAT: &'static str = D::NAME;
    const UNITS: &'static [(&'static str, f64)] = D::UNITS;
}

impl<T: Takes> Takes for Option<T> {
    const WHAT: &'static str = T::WHAT;
    const UNITS: &'static [(&'static str, f64)] = T::UNITS;
    const OPTIONAL: bool = true;
}

impl Takes for String {
    const WHAT: &'static str = "word";
}

impl Takes for bool {
    const WHAT: &'static str = "`true` or `false`";
}

/// A section: its name, its scheme if another scheme has another section of that name, and a struct of its keys.
/// The doc comments are what the guide says.
macro_rules! section {
    (
        $name:literal $(of $scheme:literal)?
        $(#[doc = $about:literal])+
        struct $type:ident {
            $(
                $(#[doc = $key_about:literal])+
                $(#[serde($default:ident)])?
                $key:ident: $takes:ty,
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, serde::Deserialize)]
        #[allow(dead_code, reason = "some keys are only shown, from the text of the file")]
        pub(in crate::file) struct $type {
            $(
                $(#[doc = $key_about])+
                $(#[serde($default)])?
                pub(in crate::file) $key: $takes,
            )+
        }

        impl $crate::file::section::Section for $type {
            const SHEET: $crate::file::section::Sheet = $crate::file::section::Sheet {
                name: $name,
                scheme: section!(@first $(Some($scheme),)? None),
                about: concat!($($about),+),
                keys: &[$($crate::file::section::Key {
                    name: stringify!($key),
                    about: concat!($($key_about),+),
                    takes: <$takes as $crate::file::section::Takes>::WHAT,
                    units: <$takes as $crate::file::section::Takes>::UNITS,
                    optional: <$takes as $crate::file::section::Takes>::OPTIONAL
                        $(|| section!(@yes $default))?,
                }),+],
            };
        }
    };
    (@first $first:expr $(, $rest:expr)?) => { $first };
    (@yes $default:ident) => { true };
}

/// A key that takes one of several words: an enum with a word for each of its values.
macro_rules! words {
    (
        $(#[doc = $about:literal])+
        enum $type:ident {
            $($(#[doc = $value_about:literal])+ $value:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
        pub(in crate::file) enum $type {
            $($(#[doc = $value_about])+ #[serde(rename = $word)] $value,)+
        }

        impl $crate::file::section::Takes for $type {
            const WHAT: &'static str = words!(@list $($word),+);
        }
    };
    (@list $first:literal $(, $word:literal)*) => { concat!("`", $first, "`" $(, ", `", $word, "`")*) };
}

pub(super) use {section, words};

/// Takes two keys that have a meaning only together; an error when one is missing.
pub(super) fn together<A, B>(
    [a, b]: [&str; 2],
    first: Option<A>,
    second: Option<B>,
) -> Result<Option<(A, B)>, String> {
    match (first, second) {
        (None, None) => Ok(None),
        (Some(first), Some(second)) => Ok(Some((first, second))),
        _ => Err(format!("{a} and {b} go together: give both or neither")),
    }
}

/// The sections of a file that are still to be read.
pub(super) struct Unread {
    table: Table,
    /// Every section that a drive of this kind may have, by scheme.
    all: &'static [Sheet],
    scheme: Option<&'static str>,
}

impl Unread {
    pub(super) fn new(table: Table, all: &'static [Sheet]) -> Unread {
        Unread {
            table,
            all,
            scheme: None,
        }
    }

    /// Sets the scheme, which decides which sections and keys there are.
    pub(super) fn set_scheme(&mut self, scheme: &'static str) {
        self.scheme = Some(scheme);
    }

    /// A key that is looked at before its section is read.
    pub(super) fn look(&self, section: &str, key: &str) -> Option<&Value> {
        self.table.get(section)?.get(key)
    }

    /// Reads a section that must be there.
    pub(super) fn required<S: Section>(&mut self) -> Result<S, String> {
        let name = S::SHEET.name;
        self.optional()?.ok_or_else(|| match S::SHEET.scheme {
            Some(scheme) => format!("map.scheme `{scheme}` needs a [{name}] section"),
            None => format!("there is no [{name}] section"),
        })
    }

    /// Reads a section that may be there.
    pub(super) fn optional<S: Section>(&mut self) -> Result<Option<S>, String> {
        let Sheet { name, keys, .. } = S::SHEET;
        let Some(value) = self.table.remove(name) else {
            return Ok(None);
        };
        if let Value::Table(section) = &value {
            if let Some(key) = section
                .keys()
                .find(|key| keys.iter().all(|k| k.name != *key))
            {
                return Err(self.unknown_key(&S::SHEET, key));
            }
            let missing = |key: &&Key| !key.optional && !section.contains_key(key.name);
            if let Some(Key {
                name: key, about, ..
            }) = keys.iter().find(missing)
            {
                return Err(format!("{name}.{key} is missing:{}", in_short(about)));
            }
        }
        // Read with its name, which errors then give as the place.
        let named = Table::from_iter([(name.to_owned(), value)]);
        let read: Result<BTreeMap<String, S>, _> = named.try_into();
        let read = read.map_err(|error| one_line(&error))?;
        Ok(read.into_values().next())
    }

    /// Refuses what nobody has read.
    pub(super) fn finish(self) -> Result<(), String> {
        let Some((name, section)) = self.table.iter().next() else {
            return Ok(());
        };
        let mut keys = section.as_table().into_iter().flat_map(Table::keys);
        if let Some(why) = keys.find_map(|key| removed::refusal(REMOVED, name, key)) {
            return Err(why);
        }
        let schemes = self.schemes(|sheet| sheet.name == *name);
        if !schemes.is_empty() {
            return Err(self.of_another_scheme(&format!("[{name}]"), &schemes));
        }
        let mut known: Vec<&str> = self.all.iter().map(|sheet| sheet.name).collect();
        known.dedup();
        Err(format!(
            "unknown section `{name}`{}; such a drive may have {}",
            near(name, known.iter().copied()),
            listed(&known)
        ))
    }

    fn unknown_key(&self, sheet: &Sheet, key: &str) -> String {
        let known: Vec<&str> = sheet.keys.iter().map(|key| key.name).collect();
        let Sheet { name, .. } = sheet;
        if let Some(why) = removed::refusal(REMOVED, name, key) {
            return why;
        }
        let has = |other: &Sheet| other.name == *name && other.keys.iter().any(|k| k.name == key);
        let schemes = self.schemes(has);
        if schemes.is_empty() {
            let near = near(key, known.iter().copied());
            return format!(
                "unknown key `{name}.{key}`{near}; [{name}] may have {}",
                listed(&known)
            );
        }
        let why = self.of_another_scheme(&format!("{name}.{key}"), &schemes);
        format!("{why}; here [{name}] may have {}", listed(&known))
    }

    fn schemes(&self, has: impl Fn(&Sheet) -> bool) -> Vec<&'static str> {
        self.all
            .iter()
            .filter(|sheet| has(sheet))
            .filter_map(|sheet| sheet.scheme)
            .collect()
    }

    fn of_another_scheme(&self, what: &str, schemes: &[&str]) -> String {
        let own = self.scheme.unwrap_or_default();
        let schemes: Vec<String> = schemes.iter().map(|scheme| format!("`{scheme}`")).collect();
        format!(
            "{what} belongs to map.scheme {}, and this drive has `{own}`: leave it out",
            schemes.join(" or ")
        )
    }
}

/// The first sentence of what a comment says, without what it points to.
fn in_short(about: &str) -> &str {
    let ends = [about.find(" (["), about.find('.')];
    about[..ends.into_iter().flatten().min().unwrap_or(about.len())].trim_end()
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
