//! Numbers as people write them: `4`, `"49 us"`, `"1.5 GB/s"`.

/// A unit and its worth in the base unit.
type Unit = (&'static str, f64);

/// The unit of that name, however its letters are typed: `µs` is `us`, and `°C` is `C`.
pub(crate) fn unit(name: &str, units: &'static [Unit]) -> Option<&'static Unit> {
    let plain = name.replace(['µ', 'μ'], "u").replace('°', "");
    units.iter().find(|(unit, _)| *unit == plain)
}

/// The units in a list.
pub(crate) fn listed(units: &[Unit]) -> String {
    let names: Vec<&str> = units.iter().map(|(unit, _)| *unit).collect();
    names.join(", ")
}

/// The unit of a number without one: that of pure numbers, or the only one there is.
///
/// # Errors
/// When it may be any of several: nobody can guess whether 49 are nanoseconds or microseconds.
pub fn bare(value: f64, units: &'static [Unit]) -> Result<&'static str, String> {
    match units {
        [(unit, _)] | [(unit @ "1", _), ..] => Ok(unit),
        [(first, _), ..] => Err(format!(
            "{value} has no unit; write it as \"{value} {first}\", with one of {}",
            listed(units)
        )),
        [] => Ok(""),
    }
}

/// A number and its unit, if it is one of those.
///
/// # Errors
/// When the text is no number, or its unit is none of those.
pub fn number(text: &str, units: &'static [Unit]) -> Result<(f64, &'static str), String> {
    let Some((value, name)) = split(text) else {
        let example = match units {
            [(first, _), ..] if *first != "1" => format!("\"4 {first}\""),
            _ => "4".to_owned(),
        };
        return Err(format!(
            "`{text}` is no number; write one such as {example}"
        ));
    };
    if name.is_empty() {
        return Ok((value, bare(value, units)?));
    }
    let known =
        unit(name, units).ok_or_else(|| format!("unit `{name}` is none of: {}", listed(units)))?;
    Ok((value, known.0))
}

/// A number, and what is written behind it.
#[must_use]
pub fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')))
        .unwrap_or(text.len());
    // An e that no exponent follows is the first letter of eV.
    let digits = text[..digits].trim_end_matches(['e', 'E']).len();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim()))
}
