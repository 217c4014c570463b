//! Jobs in proportion to a smaller drive.

use ftlab_workload::{JobFile, Size};

/// The job on a drive of the share `of_size`: regions given in bytes are that share of what they were, in
/// whole requests. Shares of the drive stay, and so do requests.
pub fn in_proportion(job: &JobFile, of_size: f64) -> JobFile {
    let mut job = job.clone();
    for spec in &mut job.jobs {
        let request = spec
            .sizes
            .bs
            .write
            .max(spec.sizes.bs.read)
            .max(spec.sizes.bs.trim)
            .max(1);
        let scaled = |bytes: u64, least: u64| {
            let requests = (bytes as f64 * of_size / request as f64).ceil() as u64;
            Size::Bytes(requests.max(least) * request)
        };
        if let Some(Size::Bytes(bytes)) = spec.region.size {
            spec.region.size = Some(scaled(bytes, 1));
        }
        for place in [&mut spec.region.offset, &mut spec.region.offset_increment] {
            if let Size::Bytes(bytes) = *place {
                *place = scaled(bytes, 0);
            }
        }
    }
    job
}
