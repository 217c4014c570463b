//! `--set key=value`: changes to a drive file before it is read.

use ftlab_ftl::page::{POLICIES, Registered, registered};
use ftlab_sheet::short;
use toml::{Table, Value};

/// Applies one setting and gives its key; the error says what is wrong with it.
pub(super) fn apply(table: &mut Table, setting: &str) -> Result<String, String> {
    let (key, text) = setting.split_once('=').unwrap_or_default();
    let (key, text) = (key.trim(), text.trim());
    let mut parts: Vec<&str> = key.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    if name.is_empty() || text.is_empty() {
        return Err(format!(
            "`{setting}` is not of the form key=value, for example spare.op=0.07"
        ));
    }
    let mut section = table;
    for part in parts {
        let entry = section
            .entry(part)
            .or_insert_with(|| Value::Table(Table::new()));
        match entry {
            Value::Table(inner) if !inner.contains_key("value") => section = inner,
            _ => return Err(format!("`{key}`: `{part}` is not a section")),
        }
    }
    let value = new_value(section.get(name), text).map_err(|why| format!("`{key}`: {why}"))?;
    section.insert(name.to_string(), value);
    // The two say the same thing in two ways: setting one takes the place of the other.
    match key {
        "spare.op" => drop(section.remove("user_capacity")),
        "spare.user_capacity" => drop(section.remove("op")),
        // A policy's parameters go with it, unless they were set as well: then they are meant.
        "gc.policy" => section.retain(|key, value| is_set(value) || !is_of_another(key, text)),
        // One pace of collection takes the place of the one that the file has.
        "gc.batch" | "gc.turn" | "gc.pacing" => section.retain(|other, value| {
            let goes_with_it = key == "gc.turn" && other == "waiting_max";
            let is_pace = ["batch", "turn", "pacing", "waiting_max"].contains(&other);
            !is_pace || goes_with_it || other == name || value.is_str() || is_set(value)
        }),
        _ => {}
    }
    Ok(key.to_string())
}

/// Returns true if `key` is a parameter of victim policies, but not of the one called `policy`.
fn is_of_another(key: &str, policy: &str) -> bool {
    let has = |policy: &Registered| policy.parameters.iter().any(|p| p.name == key);
    POLICIES.iter().any(has) && !registered(policy).is_some_and(has)
}

/// Returns true if a number was set rather than written in the file.
fn is_set(value: &Value) -> bool {
    value.get("source").and_then(Value::as_str) == Some("set")
}

/// The value that takes the place of `old`: a word for a word, a number for a number, true or
/// false for either.
fn new_value(old: Option<&Value>, text: &str) -> Result<Value, String> {
    match old {
        Some(Value::String(_)) => Ok(Value::String(text.to_string())),
        Some(Value::Boolean(_)) => {
            let yes_or_no = text.parse().map(Value::Boolean);
            yes_or_no.map_err(|_| format!("`{text}` is neither true nor false"))
        }
        Some(Value::Table(old)) if old.contains_key("value") => {
            let unit = old.get("unit").and_then(Value::as_str).unwrap_or_default();
            quantity(text, unit)
        }
        Some(Value::Table(_)) => Err("a section; set one of its keys".to_string()),
        Some(_) => Err("cannot be set".to_string()),
        None => new_key(text),
    }
}

/// The value of a key that is not there yet, by what it looks like; the schema says if it fits.
fn new_key(text: &str) -> Result<Value, String> {
    if let Ok(yes_or_no) = text.parse() {
        return Ok(Value::Boolean(yes_or_no));
    }
    // A word that a parser would take for a number: nan, inf.
    if text.parse().is_ok_and(|number: f64| !number.is_finite()) {
        return Err(no_number(text));
    }
    Ok(quantity(text, "").unwrap_or_else(|_| Value::String(text.to_string())))
}

fn no_number(text: &str) -> String {
    format!("`{text}` is not a number, or a number and a unit such as 60us")
}

/// A number with an optional unit behind it, as a quantity.
fn quantity(text: &str, unit: &str) -> Result<Value, String> {
    let (number, given) = short::split(text).ok_or_else(|| no_number(text))?;
    let mut table = Table::new();
    table.insert("value".into(), Value::Float(number));
    let unit = if given.is_empty() { unit } else { given };
    table.insert("unit".into(), Value::String(unit.to_string()));
    table.insert("source".into(), Value::String("set".into()));
    table.insert("confidence".into(), Value::String("high".into()));
    Ok(Value::Table(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(setting: &str) -> Result<Table, String> {
        let mut table: Table = "
            [nand]
            t_read = { value = 50, unit = \"us\", source = \"datasheet\", confidence = \"high\" }
            [gc]
            policy = \"greedy\"
        "
        .parse()
        .unwrap();
        apply(&mut table, setting).map(|_| table)
    }

    #[test]
    fn a_number_keeps_its_unit_unless_one_is_given() {
        let unit = |s| {
            after(s).unwrap()["nand"]["t_read"]["unit"]
                .as_str()
                .unwrap()
                .to_string()
        };
        assert_eq!(unit("nand.t_read=60"), "us");
        assert_eq!(unit("nand.t_read = 60ns"), "ns");
        assert_eq!(
            after("nand.t_read=6e1").unwrap()["nand"]["t_read"]["value"].as_float(),
            Some(60.0)
        );
    }

    #[test]
    fn a_word_takes_the_place_of_a_word() {
        assert_eq!(
            after("gc.policy=fifo").unwrap()["gc"]["policy"].as_str(),
            Some("fifo")
        );
    }

    #[test]
    fn what_is_not_there_is_added_for_the_schema_to_judge() {
        assert_eq!(
            after("spare.op=0.07").unwrap()["spare"]["op"]["value"].as_float(),
            Some(0.07)
        );
    }

    #[test]
    fn the_parameters_of_a_policy_go_with_it() {
        let mut table: Table = "
            [gc]
            policy = \"d-choices\"
            reserve = { value = 2, source = \"assumed\" }
            choices = { value = 3, source = \"assumed\" }
        "
        .parse()
        .unwrap();
        let keys = |table: &Table| -> Vec<String> {
            let gc = table["gc"].as_table().unwrap();
            gc.keys().cloned().collect()
        };
        apply(&mut table, "gc.policy=d-choices").unwrap();
        assert_eq!(keys(&table), ["choices", "policy", "reserve"]);
        apply(&mut table, "gc.policy=greedy").unwrap();
        assert_eq!(keys(&table), ["policy", "reserve"]);
        // Set on purpose, so it stays, for the policy to refuse.
        apply(&mut table, "gc.choices=5").unwrap();
        apply(&mut table, "gc.policy=fifo").unwrap();
        assert_eq!(keys(&table), ["choices", "policy", "reserve"]);
    }

    #[test]
    fn a_section_that_is_not_there_is_made() {
        let table = after("scheduling.order=read-first").unwrap();
        assert_eq!(table["scheduling"]["order"].as_str(), Some("read-first"));
        let mut table = after("scheduling.gc_preemptible=true").unwrap();
        let key = |table: &Table| table["scheduling"]["gc_preemptible"].as_bool();
        assert_eq!(key(&table), Some(true));
        apply(&mut table, "scheduling.gc_preemptible=false").unwrap();
        assert_eq!(key(&table), Some(false));
        let error = apply(&mut table, "scheduling.gc_preemptible=perhaps").unwrap_err();
        assert!(error.contains("neither true nor false"), "{error}");
    }

    #[test]
    fn nonsense_is_refused_with_the_key() {
        for (setting, why) in [
            ("nand", "not of the form"),
            ("=5", "not of the form"),
            ("nand=5", "a section"),
            ("nand.t_read=fast", "not a number"),
            ("nand.t_read=nan", "not a number"),
            ("nand.t_read=-inf", "not a number"),
            ("map.dram=nan", "`nan` is not a number"),
            ("map.dram=inf", "`inf` is not a number"),
            ("nand.t_read.value=5", "not a section"),
        ] {
            let error = after(setting).unwrap_err();
            assert!(error.contains(why), "{setting}: {error}");
        }
    }
}
