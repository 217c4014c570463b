//! MQSim, by the files that it reads and writes: `ssdconfig.xml`, `workload.xml` and a result for the one scenario.

use super::{DEPTH, Load, REQUEST, Ran, end_of, ended};
use roxmltree::Document;
use std::path::Path;
use std::process::Command;

/// Sectors of a request.
const SECTORS: &str = "8";

/// The drive: that of `drives/generic-mlc-8.toml`. What is left out has MQSim's default.
const DEVICE: [(&str, &str); 10] = [
    ("Enabled_Preconditioning", "true"),
    // The map is a cache, and there is room in it for all of the map.
    ("Ideal_Mapping_Table", "false"),
    ("CMT_Capacity", "67108864"),
    ("Overprovisioning_Ratio", "0.07"),
    ("GC_Exec_Threshold", "0.05"),
    ("GC_Block_Selection_Policy", "GREEDY"),
    // By default it can be interrupted, and then runs of this load do not end.
    ("Preemptible_GC_Enabled", "false"),
    ("Flash_Channel_Count", "8"),
    ("Chip_No_Per_Channel", "2"),
    ("Channel_Transfer_Rate", "166"),
];

const FLASH: [(&str, &str); 14] = [
    ("CMD_Suspension_Support", "NONE"),
    ("Page_Read_Latency_LSB", "50000"),
    ("Page_Read_Latency_CSB", "50000"),
    ("Page_Read_Latency_MSB", "50000"),
    ("Page_Program_Latency_LSB", "900000"),
    ("Page_Program_Latency_CSB", "900000"),
    ("Page_Program_Latency_MSB", "900000"),
    ("Block_Erase_Latency", "3000000"),
    ("Die_No_Per_Chip", "1"),
    ("Plane_No_Per_Die", "1"),
    ("Block_No_Per_Plane", "512"),
    ("Page_No_Per_Block", "256"),
    ("Page_Capacity", "4096"),
    ("Page_Metadat_Capacity", "224"),
];

const FLOW: [(&str, &str); 17] = [
    ("Priority_Class", "HIGH"),
    ("Device_Level_Data_Caching_Mode", "TURNED_OFF"),
    ("Channel_IDs", "0,1,2,3,4,5,6,7"),
    ("Chip_IDs", "0,1"),
    ("Die_IDs", "0"),
    ("Plane_IDs", "0"),
    ("Initial_Occupancy_Percentage", "90"),
    ("Working_Set_Percentage", "100"),
    ("Synthetic_Generator_Type", "QUEUE_DEPTH"),
    ("Address_Distribution", "RANDOM_UNIFORM"),
    ("Generated_Aligned_Addresses", "true"),
    ("Address_Alignment_Unit", SECTORS),
    ("Request_Size_Distribution", "FIXED"),
    ("Average_Request_Size", SECTORS),
    ("Variance_Request_Size", "0"),
    ("Seed", "798"),
    // No end in time: the number of requests ends it.
    ("Stop_Time", "0"),
];

/// With the write cache off MQSim drops a write whose page is being collected: it never completes, and from then on one
/// fewer is outstanding. So every long run of writes ends with some that were not served. With more than so many the load is
/// no longer the one that was asked for.
const DROPPED_MAX: u64 = DEPTH / 2;

/// Runs a load of so many requests by the program at this path.
pub fn run(program: &Path, load: Load, requests: u64) -> Result<Ran, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let in_folder = |name| folder.path().join(name);
    let (device, workload) = (in_folder("ssdconfig.xml"), in_folder("workload.xml"));
    let write = |path, text| std::fs::write(path, text).map_err(|error| error.to_string());
    write(&device, device_file())?;
    write(&workload, workload_file(load, requests))?;
    let mut call = Command::new(program);
    call.arg("-i").arg(&device).arg("-w").arg(&workload);
    let (printed, took) = ended(&mut call, folder.path())?;
    let result = std::fs::read_to_string(in_folder("workload_scenario_1.xml"));
    let result = result.map_err(|error| {
        let said = end_of(&printed);
        format!(
            "{} wrote no result ({error}): is it MQSim? It said: {said}",
            program.display()
        )
    })?;
    let (served, programs) = counts(&result).map_err(|why| format!("MQSim's result: {why}"))?;
    if served + DROPPED_MAX < requests {
        return Err(format!(
            "MQSim served {served} of {requests} requests: it stalled, or dropped more than {DROPPED_MAX} of the {DEPTH} \
             that are outstanding, so there is nothing to compare"
        ));
    }
    Ok(Ran {
        served,
        programs,
        user: took.rusage.utime,
        memory: took.rusage.maxrss,
    })
}

/// The commit of the source beside the program, marked where files were changed since; `None` outside a tree of git.
pub fn commit(program: &Path) -> Option<String> {
    let told = Command::new("git")
        .arg("-C")
        .arg(program.parent()?)
        .args([
            "describe",
            "--always",
            "--dirty",
            "--abbrev=40",
            "--exclude=*",
        ])
        .output()
        .ok()?;
    let commit = String::from_utf8(told.stdout).ok()?.trim().to_owned();
    (told.status.success() && !commit.is_empty()).then_some(commit)
}

fn elements(pairs: &[(&str, &str)]) -> String {
    let element = |(name, value): &(&str, &str)| format!("<{name}>{value}</{name}>\n");
    pairs.iter().map(element).collect()
}

/// What it is told of the drive.
pub fn device_file() -> String {
    format!(
        "<Execution_Parameter_Set>\n<Device_Parameter_Set>\n{}<Flash_Parameter_Set>\n{}</Flash_Parameter_Set>\n\
         </Device_Parameter_Set>\n</Execution_Parameter_Set>\n",
        elements(&DEVICE),
        elements(&FLASH)
    )
}

fn workload_file(load: Load, requests: u64) -> String {
    let reads = match load {
        Load::Writes => "0",
        Load::Reads => "100",
    };
    let of_run = [
        ("Read_Percentage", reads),
        ("Average_No_of_Reqs_in_Queue", &DEPTH.to_string()),
        ("Total_Requests_To_Generate", &requests.to_string()),
    ];
    format!(
        "<MQSim_IO_Scenarios>\n<IO_Scenario>\n<IO_Flow_Parameter_Set_Synthetic>\n{}{}</IO_Flow_Parameter_Set_Synthetic>\n\
         </IO_Scenario>\n</MQSim_IO_Scenarios>\n",
        elements(&FLOW),
        elements(&of_run)
    )
}

/// Requests served and pages programmed, of a result. Its number of requests is that of those that were made, so those
/// that were served are counted by their bytes.
fn counts(result: &str) -> Result<(u64, u64), String> {
    let tree = Document::parse(result).map_err(|error| error.to_string())?;
    let find = |name: &str| {
        let mut nodes = tree.descendants();
        let node = nodes.find(|node| node.tag_name().name() == name);
        node.ok_or_else(|| format!("it has no {name}"))
    };
    let bytes = find("Bytes_Transferred")?.text().unwrap_or_default();
    let bytes: f64 = bytes
        .parse()
        .map_err(|_| format!("`{bytes}` is no number of bytes"))?;
    // With one plane and no copyback it gives the flash no other command to program a page.
    const PROGRAMS: &str = "Issued_Flash_Program_CMD";
    let programs = find("SSDDevice.FTL")?.attribute(PROGRAMS);
    let programs = programs.ok_or_else(|| format!("it has no {PROGRAMS}"))?;
    let programs = programs
        .parse()
        .map_err(|_| format!("`{programs}` is no number of programs"))?;
    Ok(((bytes / REQUEST as f64) as u64, programs))
}
