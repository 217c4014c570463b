//! MQSim's controller and host: the write buffer, what dies do first, the link.

use super::device::Array;
use crate::ImportError;
use crate::draft::{Draft, Sure};
use crate::settings::Settings;

pub fn buffer(said: &mut Settings, draft: &mut Draft, array: &Array) -> Result<(), ImportError> {
    let size = said.count("Data_Cache_Capacity", 512 << 20)?;
    draft.number(
        "buffer.size",
        &size,
        "B",
        Sure::Medium,
        "it holds what is to be written; nothing is read from it later",
    );
    draft.assumed(
        "firmware.write_command",
        0.0,
        "us",
        "MQSim takes no time for firmware",
    );
    draft.assumed(
        "firmware.read_command",
        0.0,
        "us",
        "MQSim takes no time for firmware",
    );
    draft.assumed(
        "firmware.per_slot",
        0.0,
        "us",
        "MQSim takes no time for firmware",
    );
    // The key is misspelt in MQSim's files, and right in its description.
    let burst = match said.number_if("Data_Cache_DRAM_Data_Burst_Size")? {
        Some(burst) => burst,
        None => said.count("Data_Cache_DRAM_Data_Busrt_Size", 4)?,
    };
    let rate = said.count("Data_Cache_DRAM_Data_Rate", 800)?.times(&burst);
    let page_ns = rate.map(|bytes_us| (array.page_bytes.value / bytes_us.max(1.0) * 1e3).round());
    draft.number("firmware.write_slot", &page_ns, "ns", Sure::Medium, "a page through the DRAM of the data cache, one after the other; in MQSim what is written goes in and out, and a part of a page takes a part of the time");
    draft.assumed(
        "firmware.die_queue",
        32.0,
        "1",
        "MQSim's queues have no end",
    );
    Ok(())
}

pub fn scheduling(said: &mut Settings, draft: &mut Draft, planes: f64) -> Result<(), ImportError> {
    let order = said.word("Transaction_Scheduling_Policy", "OUT_OF_ORDER");
    match order.value.as_str() {
        "OUT_OF_ORDER" | "PRIORITY_OUT_OF_ORDER" | "FLIN" => {}
        _ => return Err(order.unknown("OUT_OF_ORDER, PRIORITY_OUT_OF_ORDER, FLIN")),
    }
    if order.value != "OUT_OF_ORDER" {
        draft.remarks.push(format!(
            "{}: taken as OUT_OF_ORDER; flows have no priorities here",
            order.from
        ));
    }
    draft.word("scheduling.order", "read-first", &order);
    let joins = "MQSim's scheduler joins commands for the planes of a die";
    draft.fixed_flag("scheduling.multi_plane", planes > 1.0, joins);
    draft.fixed_flag("scheduling.plane_reads", planes > 1.0, joins);
    let suspend = said.word("CMD_Suspension_Support", "ERASE");
    let (ours, key, other, default) = match suspend.value.as_str() {
        "NONE" => (
            "none",
            "Suspend_Erase_Time",
            "Suspend_Program_Time",
            700_000.0,
        ),
        "ERASE" => (
            "erase",
            "Suspend_Erase_Time",
            "Suspend_Program_Time",
            700_000.0,
        ),
        "PROGRAM" | "PROGRAM_ERASE" => (
            "program-erase",
            "Suspend_Program_Time",
            "Suspend_Erase_Time",
            100_000.0,
        ),
        _ => return Err(suspend.unknown("NONE, PROGRAM, PROGRAM_ERASE, ERASE")),
    };
    if suspend.value == "PROGRAM" {
        draft
            .remarks
            .push(format!("{}: erases can be suspended as well", suspend.from));
    }
    draft.word("scheduling.suspend", ours, &suspend);
    if ours == "none" {
        said.leave(&[(key, "nothing is suspended")], &mut draft.left);
    } else {
        let time = said.number(key, default)?;
        draft.number("scheduling.suspend_time", &time, "ns", Sure::High, "");
        draft.assumed(
            "scheduling.resume_time",
            0.0,
            "us",
            "MQSim resumes in no time",
        );
        draft.assumed(
            "scheduling.suspend_max",
            16.0,
            "1",
            "MQSim has no such limit",
        );
    }
    said.leave(
        &[(
            other,
            "suspending takes one time here, whatever is suspended",
        )],
        &mut draft.left,
    );
    let (is_preemptible, word) = said.flag("Preemptible_GC_Enabled", true)?;
    draft.flag("scheduling.gc_preemptible", is_preemptible, &word);
    draft.assumed(
        "scheduling.overtake_max",
        64.0,
        "1",
        "MQSim has no such limit",
    );
    Ok(())
}

pub fn host(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let lane = said.number("PCIe_Lane_Bandwidth", 0.4)?;
    let lanes = said.count("PCIe_Lane_Count", 4)?;
    let depth = said.count("IO_Queue_Depth", 1024)?;
    let fetched = said.count("Queue_Fetch_Size", 512)?;
    let port = said.word("HostInterface_Type", "NVME");
    match port.value.as_str() {
        "NVME" => {
            let rate = lane.times(&lanes).map(|gb| gb * 1e3);
            draft.number(
                "link.rate",
                &rate,
                "MB/s",
                Sure::High,
                "GB/s of a lane, times lanes",
            );
            draft.assumed(
                "link.command",
                0.0,
                "us",
                "MQSim sends messages of NVMe as bytes over the link",
            );
            draft.number(
                "queue.depth",
                &fetched,
                "1",
                Sure::Medium,
                "MQSim fetches so many of each flow, here of all together",
            );
            draft.remarks.push(format!(
                "IO_Queue_Depth {}: the host's queue, where any number may wait",
                depth.value
            ));
            said.leave(
                &[("SATA_Processing_Delay", "the drive has another port")],
                &mut draft.left,
            );
        }
        "SATA" => {
            draft.assumed(
                "link.rate",
                600.0,
                "MB/s",
                "SATA at 6 Gbit/s; MQSim has no rate for it",
            );
            let delay = said.number("SATA_Processing_Delay", 400_000.0)?;
            draft.number("link.command", &delay, "ns", Sure::High, "");
            draft.number("queue.depth", &depth, "1", Sure::High, "");
            draft
                .remarks
                .push("PCIe lanes and Queue_Fetch_Size: the drive has another port".to_owned());
        }
        _ => return Err(port.unknown("NVME, SATA")),
    }
    Ok(())
}
