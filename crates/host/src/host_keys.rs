//! `[host]` of a testbed file: what the host adds to every command.

use crate::pcie::{Pcie, PcieEnd};
use crate::port::Port;
use crate::processor::Processor;
use crate::queue::HostOrder;
use crate::turns::{Arbitration, Weights};
use ftlab_base::{Nanos, SECTOR_BYTES};
use ftlab_sheet::quantity::{Bytes, Count, Quantity, Ratio, Time};
use serde::Deserialize;

/// The longest burst that NVMe has a number for.
const BURST_MAX: u32 = 64;

/// The largest weight that NVMe has a number for.
const WEIGHT_MAX: u32 = 256;

/// The words for [`HostOrder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OrderWord {
    Fifo,
    CLook,
    RoundRobin,
    WeightedRoundRobin,
}

fn weight_of(priority: &str, weight: &Option<Quantity<Count>>) -> Result<u32, String> {
    let key = format!("host.queue_weight_{priority}");
    match weight.map(|weight| weight.get()) {
        None => Err(format!(
            "{key} is missing: weighted-round-robin needs a weight of each priority"
        )),
        Some(weight) if weight > WEIGHT_MAX => Err(format!(
            "{key}: {weight} commands; NVMe knows weights of 1 to {WEIGHT_MAX}"
        )),
        Some(weight) => Ok(weight),
    }
}

/// Keys of `[host]`: all that the host adds to every command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostKeys {
    /// CPU time of a command: system call, driver, interrupt. Left out where `[path]` says it part by part.
    command: Option<Quantity<Time>>,
    /// Order of what waits for the drive to take it.
    queue_order: OrderWord,
    /// With queues in turn: commands that a queue gives in its turn, at most; one if left out.
    queue_burst: Option<Quantity<Count>>,
    /// With `weighted-round-robin`: commands of queues of high, medium and low priority in a round.
    queue_weight_high: Option<Quantity<Count>>,
    queue_weight_medium: Option<Quantity<Count>>,
    queue_weight_low: Option<Quantity<Count>>,
    /// SATA ports, by their names; left out, none slows a drive down.
    #[serde(default)]
    pub(crate) ports: Vec<Port>,
    /// The slot of PCI Express, by its name; left out, it slows no drive down.
    slot: Option<Pcie>,
    /// With `slot`: the most bytes of data that the host puts into one packet.
    payload_max: Option<Quantity<Bytes>>,
    /// The most that it moves with one command, as its block layer has it; left out, as much as is asked.
    transfer_max: Option<Quantity<Bytes>>,
    /// True if the host lets the link of an idle drive sleep.
    #[serde(default)]
    pub(crate) link_sleeps: bool,
    /// True if the host lets an idle drive of NVMe enter its power states by itself (APST).
    #[serde(default)]
    pub(crate) power_states: bool,
    /// Speed of the CPU at running a program, as a multiple of that of the review of 2008; 1 if left out.
    cpu_speed: Option<Quantity<Ratio>>,
    /// Programs that compute at a time; left out, as many as there are.
    cpu_cores: Option<Quantity<Count>>,
    /// Part by which a computation is longer for each other core at work; none if left out.
    cpu_sharing: Option<Quantity<Ratio>>,
}

impl HostKeys {
    /// CPU time of a command, beside a path if there is one.
    pub(crate) fn command(&self, has_path: bool) -> Result<Nanos, String> {
        match (self.command, has_path) {
            (Some(command), false) => Ok(command.get()),
            (None, true) => Ok(Nanos::ZERO),
            (Some(_), true) => Err(
                "host.command: [path] says part by part what a command takes; leave one of them out".to_owned(),
            ),
            (None, false) => Err(
                "host.command is missing: what a command takes of the CPU, or a section [path] that says it part by part"
                    .to_owned(),
            ),
        }
    }

    pub(crate) fn order(&self) -> Result<HostOrder, String> {
        let weights = [
            ("high", &self.queue_weight_high),
            ("medium", &self.queue_weight_medium),
            ("low", &self.queue_weight_low),
        ];
        let in_turns = |weights| {
            let burst = self.queue_burst.map_or(1, |burst| burst.get());
            if burst > BURST_MAX || !burst.is_power_of_two() {
                return Err(format!(
                    "host.queue_burst: {burst} commands; NVMe knows bursts of 1, 2, 4, 8, 16, 32 and 64"
                ));
            }
            Ok(HostOrder::InTurns(Arbitration { burst, weights }))
        };
        if self.queue_order == OrderWord::WeightedRoundRobin {
            let [high, medium, low] = weights.map(|(priority, weight)| weight_of(priority, weight));
            return in_turns(Some(Weights {
                high: high?,
                medium: medium?,
                low: low?,
            }));
        }
        // A key that the chosen order does not read is refused: whoever set it expects it to matter.
        if let Some((priority, _)) = weights.iter().find(|(_, weight)| weight.is_some()) {
            return Err(format!(
                "host.queue_weight_{priority}: only queue_order = \"weighted-round-robin\" weighs queues"
            ));
        }
        match self.queue_order {
            OrderWord::Fifo | OrderWord::CLook if self.queue_burst.is_some() => Err(
                "host.queue_burst: only round-robin and weighted-round-robin take from queues in turn"
                    .to_owned(),
            ),
            OrderWord::Fifo => Ok(HostOrder::Fifo),
            OrderWord::CLook => Ok(HostOrder::CLook),
            OrderWord::RoundRobin | OrderWord::WeightedRoundRobin => in_turns(None),
        }
    }

    pub(crate) fn slot(&self) -> Result<Option<PcieEnd>, String> {
        match (self.slot, &self.payload_max) {
            (Some(lanes), Some(payload)) => PcieEnd::new(lanes, payload.get())
                .map(Some)
                .map_err(|why| format!("host.{why}")),
            (None, None) => Ok(None),
            _ => Err("host.slot and host.payload_max go together: give both or neither".to_owned()),
        }
    }

    pub(crate) fn transfer_max(&self) -> Result<Option<u32>, String> {
        let sectors = |max: &Quantity<Bytes>| match max.get() / SECTOR_BYTES {
            0 => Err("host.transfer_max: at least a sector of 512 bytes".to_owned()),
            sectors => Ok(sectors.min(u64::from(u32::MAX)) as u32),
        };
        self.transfer_max.as_ref().map(sectors).transpose()
    }

    pub(crate) fn processor(&self) -> Processor {
        Processor {
            speed: self.cpu_speed.map_or(1.0, |speed| speed.base),
            cores: self.cpu_cores.map(|cores| cores.get()),
            sharing: self.cpu_sharing.map_or(0.0, |sharing| sharing.base),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Testbed;

    fn with(lines: &str) -> Result<HostOrder, String> {
        let text = format!(
            r#"
            schema = 1
            name = "N"
            summary = "S"
            [host]
            command = {{ value = 1, unit = "us", source = "assumed", confidence = "low" }}
            {lines}
            "#
        );
        let testbed = Testbed::parse("t", &text).map_err(|error| error.to_string())?;
        Ok(testbed.queue_order)
    }

    fn count(key: &str, value: u32) -> String {
        format!(
            "{key} = {{ value = {value}, unit = \"1\", source = \"assumed\", confidence = \"low\" }}\n"
        )
    }

    fn weighted(keys: &[(&str, u32)]) -> Result<HostOrder, String> {
        let keys = keys.iter().map(|(key, value)| count(key, *value));
        with(&("queue_order = \"weighted-round-robin\"\n".to_owned() + &keys.collect::<String>()))
    }

    #[test]
    fn a_testbed_says_how_queues_take_turns() {
        let one_each = HostOrder::InTurns(Arbitration::ONE_EACH);
        assert_eq!(with("queue_order = \"round-robin\""), Ok(one_each));
        let weights = [
            ("queue_weight_high", 8),
            ("queue_weight_medium", 4),
            ("queue_weight_low", 1),
        ];
        let order = weighted(&[&weights[..], &[("queue_burst", 4)]].concat());
        let weighs = Arbitration {
            burst: 4,
            weights: Some(Weights {
                high: 8,
                medium: 4,
                low: 1,
            }),
        };
        assert_eq!(order, Ok(HostOrder::InTurns(weighs)));
        let missing = weighted(&weights[..2]).unwrap_err();
        assert!(
            missing.contains("host.queue_weight_low is missing"),
            "{missing}"
        );
        let large = weighted(&[("queue_weight_high", 257), weights[1], weights[2]]).unwrap_err();
        assert!(
            large.contains("host.queue_weight_high: 257 commands; NVMe knows weights of 1 to 256"),
            "{large}"
        );
        let odd = weighted(&[&weights[..], &[("queue_burst", 3)]].concat()).unwrap_err();
        assert!(odd.contains("host.queue_burst: 3 commands"), "{odd}");
    }

    #[test]
    fn an_order_without_turns_takes_none_of_their_keys() {
        let fifo = "queue_order = \"fifo\"\n".to_owned();
        let burst = with(&(fifo.clone() + &count("queue_burst", 2))).unwrap_err();
        assert!(burst.contains("only round-robin and weighted"), "{burst}");
        let weight = with(&(fifo + &count("queue_weight_low", 2))).unwrap_err();
        assert!(
            weight.contains("host.queue_weight_low: only queue_order"),
            "{weight}"
        );
    }
}
