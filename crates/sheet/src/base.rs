//! `base = "NAME"`: what drives with the same controller, or machines with the same operating system, have in
//! common stands in one file of a folder `base/`, and a file says what it has of its own, key by key. A base
//! may have a base: the drives of one family have more in common than all drives of its controller. A whole file that comes
//! along is a base, too, for one that is otherwise in a few numbers.

use crate::SCHEMA;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The key that names the base.
pub const BASE_KEY: &str = "base";

/// The keys of a base outside its sections.
const HEAD: [&str; 3] = ["schema", "kind", "summary"];

/// The keys that a file took from its bases, and which one each comes from.
#[derive(Debug, Clone, Default)]
pub struct Inherited(BTreeMap<String, String>);

impl Inherited {
    /// The base that `section.key` comes from; empty when it is the file's own.
    #[must_use]
    pub fn origin(&self, key: &str) -> String {
        self.0.get(key).cloned().unwrap_or_default()
    }

    /// A setting took the place of what the base says.
    pub fn set(&mut self, key: &str) {
        self.0.remove(key);
    }
}

/// Takes what a file does not say from the base that it names, what that does not say from its own
/// base, and so on. `bases` are names and texts, and so are `files`, which are whole ones.
///
/// # Errors
/// When a base is not there, is a base of itself, or is not for such a file.
pub fn inherit(
    table: &mut Table,
    bases: &[(&str, &str)],
    files: &[(&str, &str)],
) -> Result<Inherited, String> {
    let mut inherited = Inherited::default();
    let mut taken = Vec::new();
    let mut named = table.remove(BASE_KEY);
    while let Some(base) = named {
        let Value::String(name) = base else {
            return Err("base: it must be a name in quotes".into());
        };
        if taken.contains(&name) {
            return Err(format!("base {name}: it is a base of itself"));
        }
        let mut base = read(&name, bases, files)?;
        named = base.remove(BASE_KEY);
        check_head(table, &base).map_err(|why| format!("base {name}: {why}"))?;
        add(table, base, &name, &mut inherited)?;
        taken.push(name);
    }
    Ok(inherited)
}

fn read(name: &str, bases: &[(&str, &str)], files: &[(&str, &str)]) -> Result<Table, String> {
    let is_it = |of: &&(&str, &str)| of.0 == name;
    let base = bases.iter().find(is_it);
    let Some((_, text)) = base.or_else(|| files.iter().find(is_it)) else {
        let names: Vec<&str> = bases.iter().map(|(base, _)| *base).collect();
        return Err(format!(
            "base `{name}` is none of: {}, and no file that comes with ftlab",
            names.join(", ")
        ));
    };
    let mut table: Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("base {name}: {}", crate::one_line(&e)))?;
    if base.is_none() {
        // The name of a whole file, its year and the like are its own.
        let is_common = |key: &str| key == BASE_KEY || HEAD.contains(&key);
        table.retain(|key, value| value.is_table() || is_common(key));
    }
    Ok(table)
}

/// Adds the keys of a base that the table does not have.
fn add(
    table: &mut Table,
    base: Table,
    name: &str,
    inherited: &mut Inherited,
) -> Result<(), String> {
    for (section, values) in base {
        let Value::Table(values) = values else {
            continue;
        };
        let own = table
            .entry(section.as_str())
            .or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(own) = own else {
            return Err(format!("`{section}` is a section"));
        };
        for (key, value) in values {
            if !own.contains_key(&key) {
                let full = format!("{section}.{key}");
                inherited.0.insert(full, name.to_owned());
                own.insert(key, value);
            }
        }
    }
    Ok(())
}

fn check_head(table: &Table, base: &Table) -> Result<(), String> {
    let sections = |value: &Value| value.is_table();
    let stray = base.iter().filter(|(_, value)| !sections(value));
    if let Some((key, _)) = stray
        .into_iter()
        .find(|(key, _)| !HEAD.contains(&key.as_str()))
    {
        return Err(format!("`{key}` is for a file, not for its base"));
    }
    if base.get("schema").and_then(Value::as_integer) != Some(i64::from(SCHEMA)) {
        return Err(format!("it needs schema = {SCHEMA}"));
    }
    match (base.get("kind"), table.get("kind")) {
        (of_base, own) if of_base == own => Ok(()),
        (Some(of_base), own) => Err(format!(
            "it is for drives of kind {of_base}, not {}",
            own.map_or("none".into(), Value::to_string)
        )),
        (None, _) => Err("it needs a kind".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "
        schema = 1
        kind = \"ssd\"
        base = \"two\"
        [nand]
        a = 5
        [gc]
        e = 6
    ";

    const BASE: &str = "
        schema = 1
        kind = \"ssd\"
        summary = \"x\"
        [nand]
        a = 1
        b = { value = 2 }
        [map]
        c = 3
    ";

    const WHOLE: &str = "
        schema = 1
        kind = \"ssd\"
        base = \"two\"
        name = \"A whole drive\"
        aliases = [\"whole\"]
        year = 2020
        [nand]
        a = 9
    ";

    fn inherited(text: &str, base: &str) -> Result<(Table, Inherited), String> {
        let mut table: Table = text.parse().unwrap();
        let inherited = inherit(
            &mut table,
            &[("one", ONE), ("two", base)],
            &[("whole", WHOLE)],
        )?;
        Ok((table, inherited))
    }

    #[test]
    fn what_a_file_does_not_say_its_base_does() {
        let own = "kind = \"ssd\"\nbase = \"two\"\n[nand]\na = 7\n[link]\nd = 4";
        let (table, inherited) = inherited(own, BASE).unwrap();
        assert_eq!(table["nand"]["a"].as_integer(), Some(7));
        assert_eq!(table["nand"]["b"]["value"].as_integer(), Some(2));
        assert_eq!(table["map"]["c"].as_integer(), Some(3));
        assert_eq!(table["link"]["d"].as_integer(), Some(4));
        assert!(!table.contains_key("base") && !table.contains_key("summary"));
        let origin = |key| inherited.origin(key);
        assert_eq!([origin("nand.a"), origin("link.d")], ["", ""]);
        assert_eq!([origin("nand.b"), origin("map.c")], ["two", "two"]);
    }

    #[test]
    fn what_a_base_does_not_say_its_own_base_does() {
        let own = "kind = \"ssd\"\nbase = \"one\"\n[map]\nc = 8";
        let (table, inherited) = inherited(own, BASE).unwrap();
        assert_eq!(table["nand"]["a"].as_integer(), Some(5));
        assert_eq!(table["nand"]["b"]["value"].as_integer(), Some(2));
        assert_eq!(table["map"]["c"].as_integer(), Some(8));
        let origin = |key| inherited.origin(key);
        assert_eq!([origin("nand.a"), origin("gc.e")], ["one", "one"]);
        assert_eq!([origin("nand.b"), origin("map.c")], ["two", ""]);
    }

    #[test]
    fn a_whole_file_gives_its_sections_and_those_of_its_base_and_keeps_its_name() {
        let own = "kind = \"ssd\"\nbase = \"whole\"\nname = \"Mine\"\n[map]\nc = 8";
        let (table, inherited) = inherited(own, BASE).unwrap();
        let keys: Vec<&str> = table.keys().map(String::as_str).collect();
        assert_eq!(keys, ["kind", "map", "name", "nand"]);
        assert_eq!(table["name"].as_str(), Some("Mine"));
        let (nand, map) = (&table["nand"], &table["map"]);
        assert_eq!(
            (&nand["a"], &map["c"]),
            (&Value::Integer(9), &Value::Integer(8))
        );
        assert_eq!(
            [inherited.origin("nand.a"), inherited.origin("nand.b")],
            ["whole", "two"]
        );
    }

    #[test]
    fn a_base_that_cannot_be_is_told() {
        let why = |own: &str, base: &str| inherited(own, base).unwrap_err();
        assert!(why("base = 5", BASE).contains("a name in quotes"));
        assert!(why("base = \"tow\"", BASE).contains("`tow` is none of: one, two, and no file"));
        let disk = "kind = \"disk\"\nbase = \"two\"";
        assert!(why(disk, BASE).contains("kind \"ssd\", not \"disk\""));
        let own = "kind = \"ssd\"\nbase = \"two\"";
        assert!(why(own, "schema = 2\nkind = \"ssd\"").contains("schema = 1"));
        assert!(why(own, "schema = 1").contains("needs a kind"));
        assert!(why(own, "schema = 1\naliases = []").contains("`aliases` is for a file"));
        let circle = "schema = 1\nkind = \"ssd\"\nbase = \"one\"";
        assert!(why(own, circle).contains("base two: it is a base of itself"));
        assert!(why(own, "schema = ").contains("base two: "));
        let flat = "kind = \"ssd\"\nnand = 3\nbase = \"two\"";
        assert!(why(flat, BASE).contains("`nand` is a section"));
    }

    #[test]
    fn a_file_without_a_base_stays_as_it_is() {
        let (table, inherited) = inherited("kind = \"ssd\"", BASE).unwrap();
        assert_eq!(table.len(), 1);
        assert_eq!(inherited.origin("nand.b"), "");
    }
}
