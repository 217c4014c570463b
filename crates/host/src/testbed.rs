//! Testbed files: a test machine as text.

use crate::host_keys::HostKeys;
use crate::path::{Path, PathKeys};
use crate::pcie::PcieEnd;
use crate::port::{Host, Port};
use crate::processor::Processor;
use crate::queue::HostOrder;
use crate::system::{OperatingSystem, SystemKeys};
use ftlab_base::Nanos;
use ftlab_sheet::file::{is_path, made_of, stem, text_of};
use ftlab_sheet::names::{self, Named};
use ftlab_sheet::places::Places;
use ftlab_sheet::provenance;
use ftlab_sheet::{SheetError, base, check_keys, check_schema, one_line};
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::Table;

// (slug, text) of every file in `testbeds/` and `testbeds/base/`, sorted by slug.
include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// A test machine: what the host adds to every command, and how it runs programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Testbed {
    /// Name in files and results.
    pub slug: String,
    /// Full name for people.
    pub name: String,
    /// CPU time of a command; none where `path` says what it takes.
    pub host_command: Nanos,
    /// Costs of a request on the cores, each way, if the file says so.
    pub path: Option<Path>,
    /// Order of what waits for the drive to take it.
    pub queue_order: HostOrder,
    /// Its SATA ports; none where no port slows a drive down.
    pub ports: Vec<Port>,
    /// Its slot of PCI Express; without one, the drive's own lanes stand.
    pub slot: Option<PcieEnd>,
    /// The most sectors that it moves with one command, if it has a limit of its own.
    pub transfer_max: Option<u32>,
    /// True if it puts the link of an idle drive to sleep.
    pub link_sleeps: bool,
    /// True if it lets an idle drive enter its power states.
    pub power_states: bool,
    /// Speed at computing, and cores.
    pub processor: Processor,
    /// Page cache and file system, if the file describes them: scripts and buffered jobs need them.
    pub os: Option<OperatingSystem>,
}

/// Keys without which a file is no testbed, and what each says.
const REQUIRED: [(&str, &str); 4] = [
    ("schema", "a testbed file begins with schema = 1"),
    ("name", "give the name that reports show"),
    ("summary", "give a sentence on what machine it is"),
    ("host", "a testbed has a section [host]"),
];

/// Contents of a testbed file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestbedFile {
    schema: u32,
    name: String,
    #[expect(dead_code, reason = "for the reader of the file")]
    summary: String,
    host: HostKeys,
    path: Option<PathKeys>,
    os: Option<SystemKeys>,
}

impl Testbed {
    /// Returns the names of the testbeds that are compiled in.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TESTBEDS.iter().map(|&(slug, _)| slug)
    }

    /// Ids of the published figures that numbers of the testbeds that come with ftlab were worked out from.
    ///
    /// # Panics
    /// Never: a test reads every testbed.
    #[must_use]
    pub fn figures_named() -> BTreeSet<String> {
        let of_text = |(_, text): &(&str, &str)| {
            let table: Table = text.parse().expect("a test reads every testbed");
            provenance::named_in(&table)
        };
        TESTBEDS.iter().chain(BASES).flat_map(of_text).collect()
    }

    /// Loads a testbed by slug or a part of it, or from a path that ends in `.toml`.
    ///
    /// # Errors
    /// When there is no such testbed or several, or its file is wrong.
    pub fn load(name: &str) -> Result<Testbed, SheetError> {
        if is_path(name) {
            return made_of(name, |text| Testbed::parse(&stem(name), text));
        }
        Testbed::known(name)
    }

    /// Loads a testbed that comes with ftlab by slug or a part of it. No file is looked for.
    ///
    /// # Errors
    /// When there is no such testbed, or several.
    pub fn known(name: &str) -> Result<Testbed, SheetError> {
        let named = TESTBEDS.iter().map(|&(slug, _)| Named {
            slug,
            others: Vec::new(),
        });
        let known: Vec<Named> = named.collect();
        let all: Vec<&str> = known.iter().map(|named| named.slug).collect();
        let hint = format!(
            "there are {}, and a path to a .toml file works too",
            all.join(", ")
        );
        let slug = names::find("testbed", name, &known, hint)?;
        Testbed::parse(slug, text_of(TESTBEDS, slug).expect("it was found there"))
    }

    /// Reads the text of a testbed file. `slug` names it in errors.
    ///
    /// # Errors
    /// When the text is not TOML, or a key is unknown, missing or impossible.
    pub fn parse(slug: &str, text: &str) -> Result<Testbed, SheetError> {
        Testbed::read(slug, text).map_err(|why| SheetError::Invalid {
            file: slug.to_string(),
            why: Places::of(text).put(why),
        })
    }

    fn read(slug: &str, text: &str) -> Result<Testbed, String> {
        let mut table: Table = text.parse().map_err(|e| one_line(&e))?;
        base::inherit(&mut table, BASES, TESTBEDS)?;
        check_keys(&table, &REQUIRED)?;
        let file: TestbedFile = table.try_into().map_err(|e| one_line(&e))?;
        check_schema(file.schema)?;
        let processor = file.host.processor();
        let path = file.path.as_ref().map(|path| path.path(processor.cores));
        Ok(Testbed {
            slug: slug.to_string(),
            host_command: file.host.command(path.is_some())?,
            path: path.transpose()?,
            queue_order: file.host.order()?,
            link_sleeps: file.host.link_sleeps,
            power_states: file.host.power_states,
            processor,
            slot: file.host.slot()?,
            transfer_max: file.host.transfer_max()?,
            ports: file.host.ports,
            os: file.os.as_ref().map(SystemKeys::system).transpose()?,
            name: file.name,
        })
    }

    /// Returns the time that this machine takes for a request when nothing else is under way and the drive takes
    /// `drive`.
    #[must_use]
    pub fn alone(&self, drive: Nanos) -> Nanos {
        self.host_command + self.path.map_or(Nanos::ZERO, |path| path.alone(drive))
    }

    /// The machine, with a drive on its fastest port.
    #[must_use]
    pub fn host(&self) -> Host {
        self.on(self.ports.iter().copied().max())
    }

    /// The machine, with a drive on a port; on none, so that the drive's own rate stands.
    #[must_use]
    pub fn on(&self, port: Option<Port>) -> Host {
        Host {
            command: self.host_command,
            order: self.queue_order,
            port,
            slot: self.slot,
            transfer_max: self.transfer_max,
            link_sleeps: self.link_sleeps,
            power_states: self.power_states,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = r#"
        schema = 1
        name = "N"
        summary = "S"
        base = "windows"
        [os]
        dirty_limit = { value = 1, unit = "GiB", source = "assumed", confidence = "low" }
        [host]
        command = { value = 1, unit = "us", source = "assumed", confidence = "low" }
    "#;

    #[test]
    fn every_testbed_that_comes_along_can_be_read() {
        for (slug, text) in TESTBEDS {
            let nameless = text.lines().find(|line| {
                let is_of_figures = line.contains("\"fitted\"") || line.contains("\"derived\"");
                is_of_figures && !line.contains("from = [\"")
            });
            assert_eq!(nameless, None, "{slug}: from which figures?");
            let testbed = Testbed::load(slug).unwrap();
            assert_eq!(testbed.slug, *slug);
        }
    }

    #[test]
    fn a_testbed_names_the_ports_it_has() {
        let text = text_of(TESTBEDS, "behardware-2011").unwrap();
        let testbed = Testbed::parse("t", text).unwrap();
        assert_eq!(testbed.host().port, Some(Port::Sata6g));
        let wrong = Testbed::parse("t", &text.replace("sata6g", "sata9g")).unwrap_err();
        let wrong = wrong.to_string();
        assert!(
            wrong.contains("unknown variant `sata9g`, expected one of `sata1.5g`, `sata3g`, `sata6g` in `host.ports`"),
            "{wrong}"
        );
    }

    #[test]
    fn a_testbed_names_its_slot_and_what_a_packet_takes() {
        let testbed = Testbed::load("linux-2024-nvme").unwrap();
        let slot = testbed.host().slot.unwrap();
        assert_eq!(slot.lanes.name(), "pcie5x4");
        assert_eq!(testbed.host().transfer_max, Some(2560));
        let text = OWN.to_owned()
            + r#"
        slot = "pcie5x4"
        payload_max = { value = 512, unit = "B", source = "assumed", confidence = "low" }
        "#;
        let why = |old: &str, new: &str| {
            let wrong = Testbed::parse("t", &text.replace(old, new)).unwrap_err();
            wrong.to_string()
        };
        let wrong = why("pcie5x4", "pcie5x3");
        assert!(
            wrong.contains("`pcie5x3` is no link of PCI Express"),
            "{wrong}"
        );
        let wrong = why("slot = \"pcie5x4\"", "");
        assert!(
            wrong.contains("host.slot and host.payload_max go together"),
            "{wrong}"
        );
    }

    #[test]
    fn a_testbed_takes_from_its_base_what_it_does_not_say() {
        let testbed = Testbed::parse("t", OWN).unwrap();
        assert_eq!(testbed.queue_order, HostOrder::CLook);
        let os = testbed.os.expect("the base has it");
        assert_eq!(os.cache.lazy_writer_interval, Nanos::from_secs(1));
        let own = OWN.to_owned() + "queue_order = \"fifo\"\n";
        let testbed = Testbed::parse("t", &own).unwrap();
        assert_eq!(testbed.queue_order, HostOrder::Fifo);
    }

    #[test]
    fn a_wrong_testbed_is_refused_with_place_and_reason() {
        let why = |text: &str| Testbed::parse("t", text).unwrap_err().to_string();
        let with = |line: &str| why(&(OWN.to_owned() + line));
        assert!(
            why("schema = ").starts_with("t: at line 1"),
            "{}",
            why("schema = ")
        );
        assert!(
            why(&OWN.replace("windows", "widows"))
                .contains("`widows` is none of: linux-2024, nvme-2024, windows")
        );
        assert!(why(&OWN.replace("schema = 1", "schema = 7")).contains("schema 7"));
        let unknown = with("queu_order = \"fifo\"\n");
        assert!(
            unknown.contains("unknown field `queu_order`, expected one of"),
            "{unknown}"
        );
        let order = with("queue_order = \"lifo\"\n");
        assert!(
            order.contains(
                "unknown variant `lifo`, expected one of `fifo`, `c-look`, `round-robin`, `weighted-round-robin` in `host.queue_order`"
            ),
            "{order}"
        );
        let os = |lines: &str| {
            let own = OWN.replace("base = \"windows\"", "base = \"linux-2024\"");
            let own = own.replace("value = 1, unit = \"GiB\"", "value = 10, unit = \"GiB\"");
            why(&own.replace("[os]\n", &format!("[os]\n{lines}\n")))
        };
        let place =
            "table_at = { value = 3, unit = \"GiB\", source = \"assumed\", confidence = \"low\" }";
        assert!(
            os(place).contains("are of one file system; give all of them or none"),
            "{}",
            os(place)
        );
        let above = "dirty_background = { value = 20, unit = \"GiB\", source = \"assumed\", confidence = \"low\" }";
        assert!(
            os(above).contains("os.dirty_background: it must be at most os.dirty_limit"),
            "{}",
            os(above)
        );
        let why = Testbed::load("anandtech-208").unwrap_err().to_string();
        assert!(why.contains("did you mean anandtech-2008"), "{why}");
    }
}
