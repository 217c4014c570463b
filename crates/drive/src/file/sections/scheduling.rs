//! `[scheduling]`: in which order a die works off its queue.

use crate::file::section::{section, words};
use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Count, Quantity, Time};
use ftlab_timing::{DieOrder, Dispatch, Scheduling, Suspend};

words! {
    /// The orders there are.
    enum Order {
        /// In the order of issue.
        Fcfs = "fcfs",
        /// Reads for the host first.
        ReadFirst = "read-first",
        /// Reads first, for the host and then of collection.
        AllReadsFirst = "all-reads-first",
    }
}

words! {
    /// The ways to a die's queue.
    enum DispatchKey {
        /// From one list of work.
        InOrder = "in-order",
        /// From a list for each die.
        ByDie = "by-die",
    }
}

words! {
    /// Operations that can be suspended.
    enum SuspendWhat {
        /// No operation can be suspended.
        None = "none",
        /// Erases can be suspended.
        Erase = "erase",
        /// Erases and programs can be suspended.
        ProgramErase = "program-erase",
    }
}

section! {
    "scheduling"
    /// In which order a die works off its queue, and what a read may suspend; without the section, as issued
    /// ([scheduling](../scheduling.md)).
    struct SchedulingKeys {
        /// How operations come to the queues of their dies: `by-die`, where the queues share their room, or
        /// `in-order`, where a die whose queue is full holds up all that was issued behind
        /// ([decision 0003](../decisions/0003-bounded-die-queues.md)); `by-die` if left out.
        dispatch: Option<DispatchKey>,
        /// Dies that may program at a time; all of them if left out.
        programs_max: Option<Quantity<Count>>,
        /// Whether a die programs the pages that queue for neighbouring planes together.
        #[serde(default)]
        multi_plane: bool,
        /// Whether the planes of a die sense together what a read for the host needs of them.
        #[serde(default)]
        plane_reads: bool,
        /// Whether they sense together what collection reads of the same page of them.
        #[serde(default)]
        plane_collection: bool,
        /// Whether each plane of a die reads by itself while the others read.
        #[serde(default)]
        independent_plane_reads: bool,
        /// What a die starts next; `fcfs` if left out.
        order: Option<Order>,
        /// What a read for the host may suspend; `none` if left out.
        suspend: Option<SuspendWhat>,
        /// How far apart the points lie at which a program or an erase can be suspended: the ends of its pulses. Where
        /// a read comes between two of them, it waits for the next. Anywhere if left out.
        suspend_every: Option<Quantity<Time>>,
        /// From the command to suspend, or from the next such point, until the die takes a read.
        suspend_time: Option<Quantity<Time>>,
        /// From the command to resume until the array works again.
        resume_time: Option<Quantity<Time>>,
        /// How often one operation may be suspended.
        suspend_max: Option<Quantity<Count>>,
        /// The least that is left of an operation for which it is suspended: to stop one that is nearly done, and to go on
        /// with it, would take longer than to let it end. A read waits for that. None is too near its end if left out.
        suspend_left_min: Option<Quantity<Time>>,
        /// Whether collection lets operations for the host pass.
        #[serde(default)]
        gc_preemptible: bool,
        /// How often one operation lets others pass.
        overtake_max: Option<Quantity<Count>>,
    }
}

impl SchedulingKeys {
    /// Way of operations to the queues of their dies.
    pub(in crate::file) fn dispatch(&self) -> Dispatch {
        match self.dispatch {
            Some(DispatchKey::InOrder) => Dispatch::InOrder,
            Some(DispatchKey::ByDie) | None => Dispatch::ByDie,
        }
    }
}

/// The policy of a drive; the error says what is missing. What a policy does not use may be left
/// out; what it uses has no default.
pub(in crate::file) fn scheduling(keys: Option<&SchedulingKeys>) -> Result<Scheduling, String> {
    let Some(keys) = keys else {
        return Ok(Scheduling::FCFS);
    };
    let order = match keys.order.unwrap_or(Order::Fcfs) {
        Order::Fcfs => DieOrder::Fcfs,
        Order::ReadFirst => DieOrder::ReadFirst,
        Order::AllReadsFirst => DieOrder::AllReadsFirst,
    };
    let suspend = match keys.suspend.unwrap_or(SuspendWhat::None) {
        SuspendWhat::None => Suspend::Nothing,
        SuspendWhat::Erase => Suspend::Erase,
        SuspendWhat::ProgramErase => Suspend::ProgramErase,
    };
    if keys.multi_plane && suspend == Suspend::ProgramErase {
        return Err(
            "scheduling.multi_plane: programs of planes that are done together cannot be suspended; \
             leave it out, or set scheduling.suspend to none or erase"
                .to_owned(),
        );
    }
    let plain = Scheduling {
        order,
        gc_preemptible: keys.gc_preemptible,
        suspend,
        ..Scheduling::FCFS
    };
    if plain == Scheduling::FCFS {
        return Ok(plain);
    }
    let bounded = Scheduling {
        overtake_max: needed("overtake_max", keys.overtake_max, "8")?.get(),
        ..plain
    };
    if suspend == Suspend::Nothing {
        return Ok(bounded);
    }
    Ok(Scheduling {
        suspend_every: keys.suspend_every.map_or(Nanos::ZERO, |time| time.get()),
        suspend_time: needed("suspend_time", keys.suspend_time, "20us")?.get(),
        resume_time: needed("resume_time", keys.resume_time, "20us")?.get(),
        suspend_max: needed("suspend_max", keys.suspend_max, "8")?.get(),
        suspend_left_min: keys.suspend_left_min.map_or(Nanos::ZERO, |time| time.get()),
        ..bounded
    })
}

fn needed<D>(key: &str, value: Option<Quantity<D>>, example: &str) -> Result<Quantity<D>, String> {
    value.ok_or_else(|| {
        format!(
            "[scheduling] lets operations pass others and needs {key}, for example \
             scheduling.{key}={example}"
        )
    })
}
