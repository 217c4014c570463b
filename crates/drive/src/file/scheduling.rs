//! What a drive file says about scheduling, as a policy.

use super::schema::{Order, SchedulingKeys, SsdFile, SuspendWhat};
use ftlab_base::Nanos;
use ftlab_sheet::quantity::{Count, Quantity, Time};
use ftlab_timing::{DieOrder, Scheduling, Suspend};

/// The policy of a drive; the error says what is missing. What a policy does not use may be left
/// out; what it uses has no default.
pub(super) fn scheduling(ssd: &SsdFile) -> Result<Scheduling, String> {
    let Some(keys) = &ssd.scheduling else {
        return Ok(Scheduling::FCFS);
    };
    let order = match keys.order {
        Order::Fcfs => DieOrder::Fcfs,
        Order::ReadFirst => DieOrder::ReadFirst,
    };
    let suspend = match keys.suspend {
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
        overtake_max: count("overtake_max", keys.overtake_max.as_ref())?,
        ..plain
    };
    match suspend {
        Suspend::Nothing => Ok(bounded),
        Suspend::Erase | Suspend::ProgramErase => suspending(bounded, keys),
    }
}

fn suspending(bounded: Scheduling, keys: &SchedulingKeys) -> Result<Scheduling, String> {
    Ok(Scheduling {
        suspend_time: time("suspend_time", keys.suspend_time.as_ref())?,
        resume_time: time("resume_time", keys.resume_time.as_ref())?,
        suspend_max: count("suspend_max", keys.suspend_max.as_ref())?,
        ..bounded
    })
}

fn time(key: &str, value: Option<&Quantity<Time>>) -> Result<Nanos, String> {
    value
        .map(Quantity::<Time>::get)
        .ok_or_else(|| missing(key, "20us"))
}

fn count(key: &str, value: Option<&Quantity<Count>>) -> Result<u32, String> {
    value
        .map(Quantity::<Count>::get)
        .ok_or_else(|| missing(key, "8"))
}

fn missing(key: &str, example: &str) -> String {
    format!(
        "[scheduling] lets operations pass others and needs {key}, for example \
         scheduling.{key}={example}"
    )
}
