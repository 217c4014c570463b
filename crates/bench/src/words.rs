//! Jobs in words, for the list of what was done to a drive.

use ftlab_base::amount::decimal;
use ftlab_workload::{JobFile, JobSpec, PatternKind, Size};

/// A phrase for each job of a file: "Random writes of 4 KiB at queue depth 32 to the whole drive for 60 min".
#[must_use]
pub fn words(file: &JobFile) -> Vec<String> {
    file.jobs.iter().map(job_words).collect()
}

fn job_words(job: &JobSpec) -> String {
    let order = if job.pattern.random {
        "Random"
    } else {
        "Sequential"
    };
    let (kind, block, to) = match job.pattern.kind {
        PatternKind::Read => ("reads", job.sizes.bs.read, "from"),
        PatternKind::Write => ("writes", job.sizes.bs.write, "to"),
        PatternKind::ReadWrite => ("reads and writes", job.sizes.bs.write, "on"),
        PatternKind::Trim | PatternKind::TrimWrite => ("trims", job.sizes.bs.trim, "of"),
    };
    let place = match job.region.size {
        None | Some(Size::Percent(100)) => "the whole drive".to_owned(),
        Some(Size::Percent(percent)) => format!("its first {percent} %"),
        Some(Size::Bytes(bytes)) => format!("its first {}", amount(bytes)),
    };
    let length = job.length.runtime.map_or("once".to_owned(), |span| {
        format!("for {}", time(span.as_secs()))
    });
    let (block, depth) = (amount(block), job.submission.iodepth);
    format!("{order} {kind} of {block} at queue depth {depth} {to} {place} {length}")
}

/// Bytes in the largest binary unit that they are a whole number of, or in GB.
fn amount(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = |&(shift, _): &(u32, &str)| bytes.is_multiple_of(1 << shift);
    match units.into_iter().find(whole) {
        Some((shift, unit)) if bytes >> shift < 10_000 => format!("{} {unit}", bytes >> shift),
        _ => decimal(bytes as f64, "B"),
    }
}

fn time(seconds: f64) -> String {
    if seconds >= 600.0 && seconds % 60.0 == 0.0 {
        format!("{} min", seconds / 60.0)
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_says_what_it_does_where_and_for_how_long() {
        let of = |text: &str| words(&JobFile::parse(text, "test.fio").unwrap()).join("; ");
        assert_eq!(
            of("[a]\nrw=randwrite\nbs=4k\niodepth=32\nsize=100%\ntime_based\nruntime=60m\n"),
            "Random writes of 4 KiB at queue depth 32 to the whole drive for 60 min"
        );
        assert_eq!(
            of("[a]\nrw=read\nbs=2m\nsize=10g\ntime_based\nruntime=167\n"),
            "Sequential reads of 2 MiB at queue depth 1 from its first 10 GiB for 167 s"
        );
        assert_eq!(
            of("[a]\nrw=write\nbs=16m\nsize=64000000000\n"),
            "Sequential writes of 16 MiB at queue depth 1 to its first 64.0 GB once"
        );
    }
}
