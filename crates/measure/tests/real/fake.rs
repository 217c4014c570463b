//! Loop devices that pose as drives: a made-up sysfs gives them a bus, and programs that play recorded output answer for it.

use crate::machine::Machine;
use ftlab_measure::device::Device;
use ftlab_measure::device::held::{Access, Held};
use ftlab_measure::device::system::{Number, System};
use ftlab_measure::programs::Programs;
use std::fs::{File, create_dir_all, write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Size of a drive.
pub const BYTES: u64 = 8 << 20;

/// A loop device as a drive of another bus.
pub struct Fake {
    pub device: PathBuf,
    pub system: System,
    /// Where its programs keep what they say and were asked.
    pub folder: PathBuf,
}

impl Fake {
    /// A namespace of an NVMe drive.
    pub fn nvme(machine: &mut Machine) -> Fake {
        Fake::of(machine, "nvme0n1", &[("nsid", "1"), ("wwid", "eui.0025")])
    }

    /// An ATA drive.
    pub fn ata(machine: &mut Machine) -> Fake {
        Fake::of(
            machine,
            "sda",
            &[("device/vendor", "ATA"), ("device/wwid", "naa.5002")],
        )
    }

    fn of(machine: &mut Machine, name: &str, attributes: &[(&str, &str)]) -> Fake {
        let file = machine.path("drive");
        File::create(&file).unwrap().set_len(BYTES).unwrap();
        let device = machine.attach(&file, &[]);
        let root = machine.path("system");
        let number = Number::of(std::fs::metadata(&device).unwrap().rdev());
        let dir = root.join("sys/devices").join(name);
        let put = |name: &str, text: &str| {
            let path = dir.join(name);
            create_dir_all(path.parent().unwrap()).unwrap();
            write(path, format!("{text}\n")).unwrap();
        };
        put("dev", &number.to_string());
        put("size", &(BYTES / 512).to_string());
        put("ro", "0");
        put("queue/rotational", "0");
        for (name, text) in attributes {
            put(name, text);
        }
        create_dir_all(root.join("sys/dev/block")).unwrap();
        create_dir_all(root.join("proc/self")).unwrap();
        symlink(&dir, root.join("sys/dev/block").join(number.to_string())).unwrap();
        write(root.join("proc/self/mountinfo"), "").unwrap();
        let folder = machine.path("programs");
        create_dir_all(&folder).unwrap();
        Fake {
            device,
            system: System::below(&root),
            folder,
        }
    }

    pub fn hold(&self, is_named: bool) -> Held {
        let device = Device::find(&self.system, &self.device).unwrap();
        let access = match is_named {
            true => Access::Destroy(device.id.clone()),
            false => Access::Read,
        };
        Held::open(&self.system, device, access).unwrap()
    }

    /// Says what a program answers to words, where `DRIVE` stands for the path of the drive. The first that fits counts.
    pub fn plays(&self, program: &str, answers: &[(&str, &str)]) -> &Fake {
        let mut script = format!(
            "#!/bin/sh\ncd {} || exit 70\nprintf '%s\\n' \"{program} $*\" | sed 's#/proc/[0-9]*/fd/[0-9]*#DRIVE#' >>asked\n\
             case \"$(tail -n 1 asked)\" in\n",
            self.folder.display()
        );
        for (words, answer) in answers {
            script += &format!("'{program} {words}')\n{answer}\n;;\n");
        }
        script += "*) echo 'ERROR: Invalid sub-command' >&2; exit 22;;\nesac\n";
        let path = self.folder.join(program);
        write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A file that answers read.
    pub fn keeps(&self, name: &str, text: &str) -> &Fake {
        write(self.folder.join(name), text).unwrap();
        self
    }

    /// What the programs were asked, in order.
    pub fn asked(&self) -> Vec<String> {
        let asked = std::fs::read_to_string(self.folder.join("asked")).unwrap_or_default();
        asked.lines().map(str::to_owned).collect()
    }

    /// Those of its folder, and those that all scripts need.
    pub fn programs(&self) -> Programs {
        let mut path = self.folder.clone().into_os_string();
        path.push(":/usr/bin:/bin");
        Programs::in_path(path)
    }

    /// Programs that are not installed.
    pub fn no_programs(&self) -> Programs {
        let nothing: &Path = &self.folder.join("none");
        Programs::in_path(nothing.as_os_str().to_owned())
    }
}

/// `nvme smart-log -o json`, with counters that a shell works out.
pub fn smart_log(kelvin: &str, units_written: &str) -> String {
    format!(
        r#"cat <<END
{{
  "critical_warning":0,
  "temperature":{kelvin},
  "avail_spare":100,
  "spare_thresh":10,
  "percent_used":3,
  "endurance_grp_critical_warning_summary":0,
  "data_units_read":9000,
  "data_units_written":{units_written},
  "host_read_commands":70000,
  "host_write_commands":80000,
  "controller_busy_time":12,
  "power_cycles":4,
  "power_on_hours":100,
  "unsafe_shutdowns":2,
  "media_errors":0,
  "num_err_log_entries":5,
  "warning_temp_time":0,
  "critical_comp_time":0,
  "temperature_sensor_1":{kelvin},
  "thm_temp1_trans_count":0,
  "thm_temp2_trans_count":0,
  "thm_temp1_total_time":0,
  "thm_temp2_total_time":0
}}
END"#
    )
}

/// `nvme ocp smart-add-log -o json`.
pub fn ocp_log(media_bytes: &str) -> String {
    format!(
        r#"cat <<END
{{
  "Physical media units written":{{
    "hi":0,
    "lo":{media_bytes}
  }},
  "Physical media units read":{{
    "hi":0,
    "lo":4096
  }},
  "Bad user nand blocks - Raw":1,
  "Bad user nand blocks - Normalized":100,
  "Bad system nand blocks - Raw":0,
  "Bad system nand blocks - Normalized":100,
  "XOR recovery count":0,
  "Uncorrectable read error count":0,
  "Soft ecc error count":0,
  "End to end detected errors":0,
  "End to end corrected errors":0,
  "System data percent used":0,
  "Refresh counts":0,
  "Max User data erase counts":40,
  "Min User data erase counts":30,
  "Number of Thermal throttling events":0,
  "Current throttling status":0,
  "PCIe correctable error count":0,
  "Incomplete shutdowns":0,
  "Percent free blocks":50,
  "Capacitor health":100,
  "Unaligned I/O":0,
  "Security Version Number":0,
  "NUSE - Namespace utilization":16384,
  "PLP start count":2,
  "Endurance estimate":3000,
  "Log page version":2,
  "Log page GUID":"0xafd514c97c6f4f9ca4f2bfea2810afc5"
}}
END"#
    )
}
