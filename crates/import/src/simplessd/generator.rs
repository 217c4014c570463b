//! The load generator of SimpleSSD-Standalone as a job.

use crate::settings::Settings;
use crate::{ImportError, Text};
use std::fmt::Write;

/// The `[generator]` of SimpleSSD-Standalone, which has fio's words for most of it.
pub fn job(said: &mut Settings, file: &Text<'_>) -> Result<String, ImportError> {
    let mut text = format!(
        "# The generator of SimpleSSD's {}, taken over by `ftlab import`.\n\n[generator]\nioengine=libaio\ndirect=1\nfilename=/dev/ftlab0\nnorandommap\nrandrepeat=0\n",
        crate::settings::one_line(file.name)
    );
    let kind = said.word("generator.readwrite", "READ");
    let rw = match kind.value.as_str() {
        "READ" | "WRITE" | "RANDREAD" | "RANDWRITE" | "RANDRW" | "READWRITE" => {
            kind.value.to_ascii_lowercase()
        }
        _ => return Err(kind.unknown("read, write, randread, randwrite, readwrite, randrw")),
    };
    let _ = writeln!(text, "rw={rw}");
    let share = said.number("generator.rwmixread", 0.5)?.value;
    if rw == "randrw" || rw == "readwrite" {
        let _ = writeln!(text, "rwmixread={:.0}", share * 100.0);
    }
    for (theirs, ours) in [
        ("blocksize", "bs"),
        ("blockalign", "blockalign"),
        ("offset", "offset"),
        ("size", "size"),
        ("io_size", "io_size"),
    ] {
        if let Some(value) = said
            .text_if(&format!("generator.{theirs}"))
            .filter(|value| !value.is_empty())
        {
            let bytes = bytes(&value).ok_or_else(|| {
                ImportError::new(said.place_of(&format!("generator.{theirs}")), format!("{theirs} is `{value}`; give a number, with k, m, g, t or K, M, G, T behind it"))
            })?;
            let _ = writeln!(text, "{ours}={bytes}");
        }
    }
    let mode = said.word("generator.iomode", "ASYNC");
    let depth = said.count("generator.iodepth", 1)?.value;
    let depth = if mode.value == "SYNC" { 1.0 } else { depth };
    let _ = writeln!(text, "iodepth={depth}");
    if let Some(time) = said
        .text_if("generator.thinktime")
        .filter(|time| !time.is_empty())
    {
        let us = picoseconds(&time).ok_or_else(|| {
            ImportError::new(
                said.place_of("generator.thinktime"),
                format!("thinktime is `{time}`; give a number with s, ms, us, ns or ps behind it"),
            )
        })? / 1e6;
        if us >= 1.0 {
            let _ = writeln!(text, "thinktime={us:.0}us");
        }
    }
    let (is_timed, _) = said.flag("generator.time_based", false)?;
    let runtime = said
        .text_if("generator.runtime")
        .filter(|time| !time.is_empty());
    if is_timed {
        let time = runtime.unwrap_or_default();
        let us = picoseconds(&time).ok_or_else(|| {
            ImportError::new(
                said.place_of("generator.runtime"),
                format!("runtime is `{time}`; give a number with s, ms, us, ns or ps behind it"),
            )
        })? / 1e6;
        let _ = writeln!(text, "time_based\nruntime={:.0}us", us.max(1.0));
    }
    let seed = said.number("generator.randseed", 1.0)?.value;
    let _ = writeln!(text, "randseed={seed:.0}");
    Ok(text)
}

/// A size: k, m, g, t are powers of 1000, K, M, G, T of 1024.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.chars().last()? {
        'k' => (&text[..text.len() - 1], 1_000),
        'm' => (&text[..text.len() - 1], 1_000_000),
        'g' => (&text[..text.len() - 1], 1_000_000_000),
        't' => (&text[..text.len() - 1], 1_000_000_000_000),
        'K' => (&text[..text.len() - 1], 1 << 10),
        'M' => (&text[..text.len() - 1], 1 << 20),
        'G' => (&text[..text.len() - 1], 1 << 30),
        'T' => (&text[..text.len() - 1], 1 << 40),
        _ => (text, 1_u64),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(unit)
}

/// A time, in picoseconds if it says nothing else.
fn picoseconds(text: &str) -> Option<f64> {
    let units = [
        ("ms", 1e9),
        ("us", 1e6),
        ("ns", 1e3),
        ("ps", 1.0),
        ("s", 1e12),
    ];
    let (number, unit) = (units.iter())
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)))
        .unwrap_or((text, 1.0));
    number
        .trim()
        .parse::<u64>()
        .ok()
        .map(|number| number as f64 * unit)
}
