//! fio's logs of bandwidth and of requests, second by second.

use std::io;
use std::path::Path;

/// The beginning of their names.
pub(super) const NAME: &str = "series";

/// fio logs in KiB.
const KIB: f64 = 1024.0;

/// Kinds of request in fio's logs.
const READ: u64 = 0;
const WRITE: u64 = 1;
const TRIM: u64 = 2;

/// Counts of each second, by kind of request: reads, writes, trims.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// Bytes moved.
    pub bytes: [Vec<f64>; 3],
    /// Requests completed.
    pub ios: [Vec<f64>; 3],
}

impl Course {
    /// Reads the logs in a folder.
    ///
    /// # Errors
    /// When they are not there.
    pub fn read(folder: &Path) -> io::Result<Course> {
        let of = |kind: &str, unit: f64| {
            let path = folder.join(format!("{NAME}_{kind}.log"));
            std::fs::read_to_string(path).map(|text| seconds(&text, unit))
        };
        Ok(Course {
            bytes: of("bw", KIB)?,
            ios: of("iops", 1.0)?,
        })
    }

    /// All kinds together.
    #[must_use]
    pub fn all(of: &[Vec<f64>; 3]) -> Vec<u64> {
        let length = of.iter().map(Vec::len).max().unwrap_or(0);
        let sum = |n: usize| of.iter().filter_map(|kind| kind.get(n)).sum::<f64>();
        (0..length).map(|n| sum(n).round() as u64).collect()
    }
}

/// Lines are `time in ms, value, kind, …`, one for each job, kind and second that is over.
fn seconds(text: &str, unit: f64) -> [Vec<f64>; 3] {
    let mut kinds: [Vec<f64>; 3] = Default::default();
    for line in text.lines() {
        let mut fields = line
            .split(',')
            .map(|field| field.trim().parse::<u64>().ok());
        let (Some(Some(ms)), Some(Some(value)), Some(Some(kind))) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let kind = match kind {
            READ => &mut kinds[0],
            WRITE => &mut kinds[1],
            TRIM => &mut kinds[2],
            _ => continue,
        };
        let second = (ms.saturating_sub(1) / 1000) as usize;
        if kind.len() <= second {
            kind.resize(second + 1, 0.0);
        }
        kind[second] += value as f64 * unit;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_added_up_by_second_and_kind() {
        let text = "1000, 100, 0, 4096, 0\n1000, 20, 1, 4096, 0\n1001, 50, 0, 4096, 0\n3000, 7, 0, 4096, 0\nnoise\n";
        let kinds = seconds(text, 1.0);
        assert_eq!(kinds[0], [100.0, 50.0, 7.0]);
        assert_eq!(kinds[1], [20.0]);
        assert_eq!(Course::all(&kinds), [120, 50, 7]);
    }
}
