//! The requests of a run, as its iolog has them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A request: its kind, place and length in bytes.
pub type Request = (&'static str, u64, u64);

/// The requests of a log; that of fio counts places in the file, that of ftlab on the drive.
pub fn of_log(path: &Path) -> Option<Vec<Request>> {
    let text = std::fs::read_to_string(path).ok()?;
    let request = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = match *words.get(2)? {
            "read" => "read",
            "write" => "write",
            "trim" => "trim",
            "sync" | "datasync" => return Some(("flush", 0, 0)),
            _ => return None,
        };
        Some((
            kind,
            words.get(3)?.parse().ok()?,
            words.get(4)?.parse().ok()?,
        ))
    };
    Some(text.lines().filter_map(request).collect())
}

/// What of the requests fio defines, and what it leaves to chance or to the clock.
#[derive(Debug, Clone, Copy)]
pub struct Defined {
    /// Places come in one order.
    pub order: bool,
    /// The number of each kind and size is defined.
    pub counts: bool,
    /// The sum of bytes is defined, within a request; or within a trim and its write.
    pub amount: bool,
    pub in_pairs: bool,
    /// How many flushes.
    pub flushes: bool,
    /// Each place is as likely as any other.
    pub uniform: bool,
}

/// What differs that fio defines.
pub fn difference(fio: &[Request], ours: &[Request], defined: Defined) -> Option<String> {
    if defined.order {
        let nth = (0..fio.len().max(ours.len())).find(|&n| fio.get(n) != ours.get(n))?;
        return Some(format!(
            "request {nth} of {} is {:?}, and fio's of {} {:?}",
            ours.len(),
            ours.get(nth),
            fio.len(),
            fio.get(nth)
        ));
    }
    let counts = |requests: &[Request]| {
        let mut counts = BTreeMap::new();
        for &(kind, _, length) in requests {
            if defined.flushes || kind != "flush" {
                *counts.entry((kind, length)).or_insert(0_u64) += 1;
            }
        }
        counts
    };
    let (theirs, mine) = (counts(fio), counts(ours));
    if defined.counts && theirs != mine {
        return Some(format!(
            "requests by kind and size are {mine:?}, and fio's {theirs:?}"
        ));
    }
    let bytes = |requests: &[Request]| requests.iter().map(|request| request.2).sum::<u64>();
    let longest = ours.iter().chain(fio).map(|request| request.2).max()?;
    let longest = if defined.in_pairs {
        2 * longest
    } else {
        longest
    };
    if defined.amount && bytes(fio).abs_diff(bytes(ours)) > longest {
        return Some(format!(
            "{} bytes, and fio's are {}",
            bytes(ours),
            bytes(fio)
        ));
    }
    places(fio, ours, defined)
}

/// Where they lie, as far as chance allows to say.
fn places(fio: &[Request], ours: &[Request], defined: Defined) -> Option<String> {
    let at = |requests: &[Request]| -> Vec<(u64, u64)> {
        let moved = requests.iter().filter(|(kind, ..)| *kind != "flush");
        moved
            .map(|&(_, from, length)| (from, from + length))
            .collect()
    };
    let (theirs, mine) = (at(fio), at(ours));
    let span = |places: &[(u64, u64)]| {
        let from = places.iter().map(|place| place.0).min();
        Some((from?, places.iter().map(|place| place.1).max()?))
    };
    let (of_fio, of_ours) = (span(&theirs)?, span(&mine)?);
    let once = |places: &[(u64, u64)]| places.iter().collect::<BTreeSet<_>>().len() == places.len();
    let covered = |places: &[(u64, u64)]| places.iter().map(|(from, end)| end - from).sum::<u64>();
    let is_whole = |places: &[(u64, u64)], (from, end): (u64, u64)| {
        once(places) && covered(places) == end - from
    };
    if is_whole(&theirs, of_fio) && defined.counts && !is_whole(&mine, of_ours) {
        return Some("fio comes to each block once, and ftlab does not".to_owned());
    }
    let length = (of_fio.1 - of_fio.0).max(of_ours.1 - of_ours.0);
    let off = of_fio
        .0
        .abs_diff(of_ours.0)
        .max(of_fio.1.abs_diff(of_ours.1));
    // Of a hundred places, the outermost lie within a tenth of the ends but once in ten thousand times.
    let is_sure = defined.uniform && theirs.len().min(mine.len()) >= 100;
    (is_sure && off * 10 > length)
        .then(|| format!("places from {of_ours:?}, and fio's from {of_fio:?}"))
}
