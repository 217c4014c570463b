//! `[path]` of a testbed file.

use super::{Coalescing, Path, Sees};
use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Count, Quantity, Time};
use serde::Deserialize;

/// Unit of NVMe's aggregation time, and the most of them.
const AGGREGATION_UNIT: Nanos = Nanos::from_micros(100);
const AGGREGATION_MOST: u64 = 255;

/// The largest aggregation threshold that NVMe has a number for.
const THRESHOLD_MOST: u32 = 256;

/// Keys of `[path]`: costs of a request on the host's cores.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathKeys {
    /// A system call, or ringing a doorbell, for all requests that go together.
    call: Quantity<Time>,
    /// Requests that go together at most, of those that are made at a time; one if left out.
    batch: Option<Quantity<Count>>,
    /// Each request on its way to the drive.
    submit: Quantity<Time>,
    /// Each request on its way back.
    complete: Quantity<Time>,
    /// An interrupt, and waking up the program that waits.
    interrupt: Option<Quantity<Time>>,
    /// With `interrupt`: requests that end before the drive interrupts (NVMe feature 08h); one if left out.
    aggregation_threshold: Option<Quantity<Count>>,
    /// With `aggregation_threshold`: how long the first of them waits for the others, at most.
    aggregation_time: Option<Quantity<Time>>,
    /// In place of `interrupt`: how often a core that has nothing else to do looks for what has ended.
    poll: Option<Quantity<Time>>,
}

impl PathKeys {
    pub(crate) fn path(&self, cores: Option<u32>) -> Result<Path, String> {
        Ok(Path {
            call: self.call.get(),
            batch: self.batch.map_or(1, |batch| batch.get()),
            submit: self.submit.get(),
            complete: self.complete.get(),
            sees: self.sees()?,
            cores,
        })
    }

    fn sees(&self) -> Result<Sees, String> {
        let coalescing = self.coalescing()?;
        match (self.interrupt, self.poll) {
            (Some(interrupt), None) => Ok(Sees::Interrupts {
                cost: interrupt.get(),
                coalescing,
            }),
            (None, Some(_)) if coalescing.is_some() => Err(
                "path.aggregation_threshold: a host that polls is not interrupted; leave it out, or give path.interrupt in place of path.poll"
                    .to_owned(),
            ),
            (None, Some(poll)) if poll.get() == Nanos::ZERO => {
                Err("path.poll: it must be above 0: a core takes time to look".to_owned())
            }
            (None, Some(poll)) => Ok(Sees::Polling(poll.get())),
            _ => Err(
                "path.interrupt, path.poll: a host is interrupted or it polls; give one of the two".to_owned(),
            ),
        }
    }

    fn coalescing(&self) -> Result<Option<Coalescing>, String> {
        let (threshold, time) = match (self.aggregation_threshold, self.aggregation_time) {
            (None, None) => return Ok(None),
            (Some(threshold), Some(time)) => (threshold.get(), time.get()),
            _ => {
                return Err(
                    "path.aggregation_threshold and path.aggregation_time go together: give both or neither".to_owned(),
                );
            }
        };
        if threshold > THRESHOLD_MOST {
            return Err(format!(
                "path.aggregation_threshold: {threshold} requests; NVMe knows 1 to {THRESHOLD_MOST}"
            ));
        }
        let unit = AGGREGATION_UNIT.0;
        if !time.0.is_multiple_of(unit) || time.0 > AGGREGATION_MOST * unit {
            return Err(format!(
                "path.aggregation_time: {time}; NVMe counts it in units of {AGGREGATION_UNIT}, up to {AGGREGATION_MOST}"
            ));
        }
        Ok(Some(Coalescing { threshold, time }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Testbed;

    const TESTBED: &str = r#"
        schema = 1
        name = "N"
        summary = "S"
        [host]
        queue_order = "fifo"
        cpu_cores = { value = 2, unit = "1", source = "assumed", confidence = "low" }
    "#;

    fn time(key: &str, us: u32) -> String {
        format!(
            "{key} = {{ value = {us}, unit = \"us\", source = \"assumed\", confidence = \"low\" }}\n"
        )
    }

    fn count(key: &str, value: u32) -> String {
        format!(
            "{key} = {{ value = {value}, unit = \"1\", source = \"assumed\", confidence = \"low\" }}\n"
        )
    }

    fn read(path: &str) -> Result<Path, String> {
        let ways = time("call", 1) + &time("submit", 2) + &time("complete", 3);
        let text = format!("{TESTBED}\n[path]\n{ways}{path}");
        let testbed = Testbed::parse("t", &text).map_err(|error| error.to_string())?;
        assert_eq!(testbed.host_command, Nanos::ZERO);
        testbed.path.ok_or_else(|| "it has none".to_owned())
    }

    #[track_caller]
    fn refused(path: &str, why: &str) {
        let error = read(path).unwrap_err();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn a_path_says_what_each_way_costs() {
        let keys = count("batch", 4)
            + &time("interrupt", 5)
            + &count("aggregation_threshold", 8)
            + &time("aggregation_time", 200);
        let path = Path {
            call: Nanos::from_micros(1),
            batch: 4,
            submit: Nanos::from_micros(2),
            complete: Nanos::from_micros(3),
            sees: Sees::Interrupts {
                cost: Nanos::from_micros(5),
                coalescing: Some(Coalescing {
                    threshold: 8,
                    time: Nanos::from_micros(200),
                }),
            },
            cores: Some(2),
        };
        assert_eq!(read(&keys), Ok(path));
        assert_eq!(
            path.alone(Nanos(7)),
            Nanos::from_micros(1 + 2 + 200 + 5 + 3)
        );
        let polls = read(&time("poll", 2)).unwrap();
        assert_eq!((polls.sees, polls.batch), (Sees::Polling(Nanos(2000)), 1));
        assert_eq!(polls.alone(Nanos(4500)), Nanos(6000 + 1500));
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_reason() {
        let both = time("interrupt", 1) + &time("poll", 1);
        refused(&both, "give one of the two");
        refused("", "give one of the two");
        refused(&time("poll", 0), "path.poll: it must be above 0");
        let interrupts = |keys: &str| time("interrupt", 1) + keys;
        let threshold = count("aggregation_threshold", 257);
        refused(&interrupts(&threshold), "go together");
        let together = |threshold, us| {
            let keys = count("aggregation_threshold", threshold) + &time("aggregation_time", us);
            interrupts(&keys)
        };
        refused(&together(257, 100), "257 requests; NVMe knows 1 to 256");
        refused(&together(8, 150), "in units of 100");
        refused(&together(8, 25_600), "up to 255");
        let polls = together(8, 100).replace("interrupt", "poll");
        refused(&polls, "a host that polls is not interrupted");
    }

    #[test]
    fn a_command_costs_once() {
        let command = TESTBED.to_owned() + &time("command", 1);
        let both = format!("{command}\n[path]\n");
        let ways = time("call", 1) + &time("submit", 2) + &time("complete", 3);
        let why = |text: &str| Testbed::parse("t", text).unwrap_err().to_string();
        let both = why(&(both + &ways + &time("interrupt", 1)));
        assert!(both.contains("leave one of them out"), "{both}");
        let neither = why(TESTBED);
        assert!(neither.contains("host.command is missing"), "{neither}");
    }
}
