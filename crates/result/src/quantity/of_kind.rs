//! Figures of reads, writes, trims or flushes alone: `write.p99`.

use crate::{Run, Traffic};

/// Percentiles of latency that a run keeps, whatever a job asks for: fio's, and one more.
pub const PERCENTILES: [f64; 18] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99, 99.999,
];

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads of the host.
    Read,
    /// Writes of the host.
    Write,
    /// Trims of the host.
    Trim,
    /// Flushes, which move no bytes.
    Flush,
}

impl Kind {
    /// Every kind of request, in order.
    pub const ALL: [Kind; 4] = [Kind::Read, Kind::Write, Kind::Trim, Kind::Flush];

    /// Its word in names of figures.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Trim => "trim",
            Kind::Flush => "flush",
        }
    }

    fn of(self, run: &Run) -> &Traffic {
        match self {
            Kind::Read => &run.read,
            Kind::Write => &run.write,
            Kind::Trim => &run.trim,
            Kind::Flush => &run.flush,
        }
    }
}

/// A figure that each kind of request has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OfKind {
    /// Requests completed a second.
    Iops,
    /// Bytes moved a second.
    BytesPerS,
    /// The mean latency, in nanoseconds.
    LatencyMean,
    /// The longest latency, in nanoseconds.
    LatencyMax,
    /// A percentile of latency, in nanoseconds.
    LatencyPercentile(f64),
}

impl OfKind {
    /// The figure of that word.
    #[must_use]
    pub fn named(word: &str) -> Option<OfKind> {
        match word {
            "iops" => Some(OfKind::Iops),
            "bw" => Some(OfKind::BytesPerS),
            "mean" | "avg" => Some(OfKind::LatencyMean),
            "max" => Some(OfKind::LatencyMax),
            word => {
                let percent = word.strip_prefix('p')?.parse().ok()?;
                PERCENTILES
                    .contains(&percent)
                    .then_some(OfKind::LatencyPercentile(percent))
            }
        }
    }

    /// Returns the figure of the requests of a kind; none where there were none, or without a clock.
    #[must_use]
    pub fn value(self, kind: Kind, run: &Run) -> Option<f64> {
        self.value_of(kind.of(run))
    }

    /// Returns the figure of requests of one kind, of a run or of one of its jobs; none where there were none, or without
    /// a clock.
    #[must_use]
    pub fn value_of(self, traffic: &Traffic) -> Option<f64> {
        let traffic = Some(traffic).filter(|traffic| traffic.ios > 0)?;
        match self {
            OfKind::Iops => Some(traffic.iops),
            OfKind::BytesPerS => Some(traffic.bytes_per_s),
            _ if !traffic.is_timed() => None,
            OfKind::LatencyMean => Some(traffic.lat_ns_mean),
            OfKind::LatencyMax => Some(traffic.lat_ns_max as f64),
            OfKind::LatencyPercentile(percent) => Some(traffic.percentile_ns(percent)? as f64),
        }
    }

    /// The kind and the figure of a name as `write.p99`.
    #[must_use]
    pub fn of(name: &str) -> Option<(Kind, OfKind)> {
        let (kind, of) = name.split_once('.')?;
        // fio's word for flushes.
        let kind = if kind == "sync" {
            Kind::Flush.word()
        } else {
            kind
        };
        let kind = Kind::ALL.into_iter().find(|of| of.word() == kind)?;
        let of = OfKind::named(of)?;
        (!(kind == Kind::Flush && of == OfKind::BytesPerS)).then_some((kind, of))
    }
}
