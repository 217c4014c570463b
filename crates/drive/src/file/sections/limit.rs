//! `[limit]`: what is let through to a drive, as clouds do.

use crate::file::section::{Unread, section, together};
use ftlab_base::Nanos;
use ftlab_host::{Bucket, Limit};
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Rate, Ratio, Time};

section! {
    "limit"
    /// What is let through to the drive, as a cloud does with a volume: token buckets at the port, whatever lies behind. A
    /// command that finds too little in a bucket waits, and those behind it do. For all kinds of drive.
    struct LimitKeys {
        /// Operations a second for good.
        iops: Option<Quantity<Count>>,
        /// With `iops`: operations that may be saved up while fewer are made, and are there at the beginning; one if
        /// left out.
        burst: Option<Quantity<Count>>,
        /// With `burst`: operations a second at most while it lasts.
        peak_iops: Option<Quantity<Count>>,
        /// Bytes a second for good.
        mb_s: Option<Quantity<Rate>>,
        /// With `mb_s`: bytes that may be saved up while fewer are moved, and are there at the beginning; none if left out.
        burst_bytes: Option<Quantity<Bytes>>,
        /// With `burst_bytes`: bytes a second at most while they last.
        peak_mb_s: Option<Quantity<Rate>>,
        /// With `mb_s`: bytes written a second for good, beside which `mb_s` is of what is read alone. Reads and writes share
        /// `mb_s` if left out.
        write_mb_s: Option<Quantity<Rate>>,
        /// With `iops`: what counts as one operation, of which a larger command is several; a command of any size is one if
        /// left out.
        unit: Option<Quantity<Bytes>>,
        /// With `unit`: the least reads, or writes, that are merged. Those of this size or more that go on where another ends
        /// count with it as one operation, up to `unit`, while that operation waits for its turn; of several streams each is
        /// merged by itself. One request at a time has nothing to be merged with, and counts as one. Each command counts for
        /// itself if left out.
        merge_min: Option<Quantity<Bytes>>,
        /// What a write, a trim and a flush count, in operations and bytes, where a read counts 1; 1 if left out.
        write_cost: Option<Quantity<Ratio>>,
        /// What the way there and back takes, for any number of commands at a time; nothing if left out.
        latency: Option<Quantity<Time>>,
    }
}

/// Reads the section, if there is one.
pub(in crate::file) fn limit(unread: &mut Unread) -> Result<Option<Limit>, String> {
    let keys: Option<LimitKeys> = unread.optional()?;
    keys.map(|keys| keys.limit()).transpose()
}

impl LimitKeys {
    fn limit(&self) -> Result<Limit, String> {
        if self.iops.is_none() && self.mb_s.is_none() && self.latency.is_none() {
            return Err(
                "[limit] limits nothing; give limit.iops, limit.mb_s or limit.latency".to_owned(),
            );
        }
        let iops = ("iops", "operations", self.iops.is_some());
        let mb_s = ("mb_s", "bytes", self.mb_s.is_some());
        for (key, is_given, (rate, what, has_rate)) in [
            ("burst", self.burst.is_some(), iops),
            ("unit", self.unit.is_some(), iops),
            ("burst_bytes", self.burst_bytes.is_some(), mb_s),
            ("write_mb_s", self.write_mb_s.is_some(), mb_s),
        ] {
            if is_given && !has_rate {
                return Err(format!(
                    "limit.{key} needs limit.{rate}, whose {what} it counts"
                ));
            }
        }
        let merge_bytes_min = self.merge_min()?;
        let peak_bytes_per_s = self.peak_bytes_per_s()?;
        // A burst has a meaning without a peak, and a peak none without a burst.
        let peak = match self.peak_iops {
            Some(_) => together(
                ["limit.peak_iops", "limit.burst"],
                self.peak_iops,
                self.burst,
            )?,
            None => None,
        };
        let per_s = |count: &Quantity<Count>| f64::from(count.get());
        let peak_iops = peak.map(|(peak, _)| per_s(&peak));
        if let (Some(peak), Some(iops)) = (peak_iops, self.iops.as_ref().map(per_s))
            && peak < iops
        {
            return Err(format!(
                "limit.peak_iops of {peak} lies below limit.iops of {iops}; it is what the burst allows, at least as many"
            ));
        }
        Ok(Limit {
            operations: self.iops.as_ref().map(|iops| Bucket {
                per_s: per_s(iops),
                holds: self.burst.as_ref().map_or(1.0, per_s),
            }),
            peak_iops,
            bytes: self.mb_s.as_ref().map(|rate| Bucket {
                per_s: rate.base,
                holds: (self.burst_bytes.as_ref()).map_or(0.0, |saved| saved.base),
            }),
            peak_bytes_per_s,
            write_bytes_per_s: self.write_mb_s.as_ref().map(|rate| rate.base),
            unit_bytes: self.unit.as_ref().map(|unit| unit.get()),
            merge_bytes_min,
            write_cost: self.write_cost.as_ref().map_or(1.0, |cost| cost.base),
            latency: self.latency.as_ref().map_or(Nanos::ZERO, |time| time.get()),
        })
    }

    fn peak_bytes_per_s(&self) -> Result<Option<f64>, String> {
        let Some(peak) = &self.peak_mb_s else {
            return Ok(None);
        };
        let keys = ["limit.peak_mb_s", "limit.burst_bytes"];
        together(keys, Some(()), self.burst_bytes.as_ref().map(|_| ()))?;
        if (self.mb_s.as_ref()).is_some_and(|rate| peak.base < rate.base) {
            return Err(
                "limit.peak_mb_s lies below limit.mb_s; it is what the burst allows, at least as much"
                    .to_owned(),
            );
        }
        Ok(Some(peak.base))
    }

    fn merge_min(&self) -> Result<Option<u64>, String> {
        let Some(least) = self.merge_min.as_ref().map(|least| least.get()) else {
            return Ok(None);
        };
        let Some(unit) = self.unit.as_ref().map(|unit| unit.get()) else {
            return Err(
                "limit.merge_min needs limit.unit, up to which commands are merged".to_owned(),
            );
        };
        if least > unit {
            return Err(format!(
                "limit.merge_min of {least} bytes lies above limit.unit of {unit}, up to which commands are merged; give at most \
                 that"
            ));
        }
        Ok(Some(least))
    }
}
