//! Drive files: what a drive is made of, as text with a unit, a source and a confidence at every
//! number, and the drive made of it.

mod base;
mod build;
mod catalog;
mod faults;
mod names;
mod packing;
mod placement;
mod power;
mod processor;
mod quantity;
mod reliability;
mod scale;
mod scheduling;
mod schema;
mod settings;
mod system;

pub use catalog::Catalog;
pub use processor::Processor;
pub use quantity::{Confidence, Source};
pub use scale::{Extent, Scale};
pub use schema::Kind;
pub use system::{FileSystemPlaces, OperatingSystem};

use crate::host::{Host, Port};
use crate::host_queue::HostOrder;
use base::Inherited;
use ftlab_base::plain::without_types;
use ftlab_base::{Nanos, StreamHash};
use schema::{DiskFile, HEADER_KEYS, Header, RamFile, SCHEMA, SsdFile, TestbedFile};
use toml::{Table, Value};

/// What is wrong with a drive file, a testbed file, a name or a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriveError {
    /// No drive or testbed has the name.
    #[error("unknown {what} `{name}`{nearest}; {hint}")]
    Unknown {
        /// `drive` or `testbed`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// ` (did you mean …?)`, or nothing.
        nearest: String,
        /// Where the names are listed.
        hint: String,
    },
    /// Several drives or testbeds have parts of that name.
    #[error("`{name}` matches several {what}s: {found}; name one")]
    Several {
        /// `drive` or `testbed`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names they have.
        found: String,
    },
    /// The file cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// What the system said.
        why: String,
    },
    /// The text is not what a drive file may say.
    #[error("{file}: {why}")]
    Invalid {
        /// The file or slug.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// A setting cannot be applied.
    #[error("--set {0}")]
    Setting(String),
}

/// A drive file, settings applied.
#[derive(Debug, Clone)]
pub struct DriveFile {
    slug: String,
    header: Header,
    table: Table,
    body: Body,
    /// What its base says.
    inherited: Inherited,
}

#[derive(Debug, Clone)]
enum Body {
    Ssd(Box<SsdFile>),
    Disk(Box<DiskFile>),
    Ram(Box<RamFile>),
}

/// One row of a drive's sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterRow {
    /// Dotted path, for example `nand.t_read`.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// Its unit; empty for a name and a count.
    pub unit: String,
    /// `datasheet`, `review`, `measured`, `fitted`, `assumed`, `set`; empty for a name.
    pub source: String,
    /// `high`, `medium`, `low`; empty for a name.
    pub confidence: String,
    /// Where it comes from, or what pins it.
    pub note: String,
    /// The base that the file takes it from; empty when it is the file's own.
    pub base: String,
}

/// A test machine: what the host adds to every command, and how it runs programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Testbed {
    /// Slug.
    pub slug: String,
    /// Name.
    pub name: String,
    /// CPU time of a command.
    pub host_command: Nanos,
    /// Order of what waits for a drive that takes one command at a time.
    pub queue_order: HostOrder,
    /// Its SATA ports; none where no port slows a drive down.
    pub ports: Vec<Port>,
    /// Whether it puts the link of an idle drive to sleep.
    pub link_sleeps: bool,
    /// How it computes.
    pub processor: Processor,
    /// How it writes back, if the file says so: application scripts need it.
    pub os: Option<OperatingSystem>,
}

impl DriveFile {
    /// Reads the text of a drive file and applies `key=value` settings. `slug` names it in errors.
    ///
    /// # Errors
    /// When the text is not TOML, a key is unknown or missing, or a value is impossible.
    pub fn parse(slug: &str, text: &str, settings: &[String]) -> Result<DriveFile, DriveError> {
        let invalid = |why: String| DriveError::Invalid {
            file: slug.to_string(),
            why,
        };
        let mut table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| invalid(one_line(&e)))?;
        let mut inherited = base::inherit(&mut table, catalog::BASES).map_err(invalid)?;
        for setting in settings {
            let key = settings::apply(&mut table, setting).map_err(DriveError::Setting)?;
            inherited.set(&key);
        }
        let file = Self::interpret(slug, table, inherited).map_err(|why| match settings {
            [] => invalid(why),
            _ => invalid(format!("{why} (with --set {})", settings.join(" --set "))),
        })?;
        file.check()?;
        Ok(file)
    }

    fn interpret(slug: &str, table: Table, inherited: Inherited) -> Result<DriveFile, String> {
        let mut sections = table.clone();
        let mut head = Table::new();
        for key in HEADER_KEYS {
            head.extend(sections.remove_entry(key));
        }
        let header: Header = head.try_into().map_err(|e| one_line(&e))?;
        if header.schema != SCHEMA {
            return Err(format!(
                "schema {}; this ftlab reads schema {SCHEMA}",
                header.schema
            ));
        }
        let body = match header.kind {
            Kind::Ssd => sections.try_into().map(|ssd| Body::Ssd(Box::new(ssd))),
            Kind::Disk => sections.try_into().map(|disk| Body::Disk(Box::new(disk))),
            Kind::Ram => sections.try_into().map(|ram| Body::Ram(Box::new(ram))),
        };
        let body = body.map_err(|e| one_line(&e))?;
        Ok(DriveFile {
            slug: slug.to_string(),
            header,
            table,
            body,
            inherited,
        })
    }

    /// The same drive with `key=value` settings applied.
    ///
    /// # Errors
    /// When a setting cannot be applied, or makes an impossible drive.
    pub fn with(&self, settings: &[String]) -> Result<DriveFile, DriveError> {
        let (mut table, mut inherited) = (self.table.clone(), self.inherited.clone());
        for setting in settings {
            let key = settings::apply(&mut table, setting).map_err(DriveError::Setting)?;
            inherited.set(&key);
        }
        let file = Self::interpret(&self.slug, table, inherited);
        let file = file.map_err(|why| self.invalid(why))?;
        file.check()?;
        Ok(file)
    }

    /// Bytes of flash, spare bytes of pages left out; `None` without flash.
    #[must_use]
    pub fn raw_bytes(&self) -> Option<u64> {
        match &self.body {
            Body::Ssd(ssd) => {
                let layout = build::layout(ssd).expect("checked on reading");
                Some(layout.geometry.raw_bytes())
            }
            Body::Disk(_) | Body::Ram(_) => None,
        }
    }

    /// Bytes of a slot, the unit of its mapping and of what a trim frees; `None` without flash.
    #[must_use]
    pub fn slot_bytes(&self) -> Option<u64> {
        match &self.body {
            Body::Ssd(ssd) => Some(ssd.map.slot.get()),
            Body::Disk(_) | Body::Ram(_) => None,
        }
    }

    /// Program/erase cycles that a block is rated for, if the file says.
    #[must_use]
    pub fn rated_cycles(&self) -> Option<u32> {
        match &self.body {
            Body::Ssd(ssd) => (ssd.reliability.as_ref()).map(|keys| keys.rated_cycles.get()),
            Body::Disk(_) | Body::Ram(_) => None,
        }
    }

    /// Bytes a second that its side of the link takes; `None` without a cable.
    #[must_use]
    pub fn link_bytes_s(&self) -> Option<u64> {
        let link = match &self.body {
            Body::Ssd(ssd) => &ssd.link,
            Body::Disk(disk) => &disk.link,
            Body::Ram(_) => return None,
        };
        Some(link.rate.base as u64)
    }

    /// Whether what the host writes decides how much is programmed.
    #[must_use]
    pub fn compresses(&self) -> bool {
        match &self.body {
            Body::Ssd(ssd) => ssd.compress.is_some(),
            Body::Disk(_) | Body::Ram(_) => false,
        }
    }

    /// Whether what is in the write buffer survives a power cut.
    #[must_use]
    pub fn keeps_its_buffer(&self) -> bool {
        match &self.body {
            Body::Ssd(ssd) => {
                let keys = ssd.power_loss.as_ref();
                keys.is_some_and(|keys| keys.capacitors.get() > 0)
            }
            Body::Disk(_) | Body::Ram(_) => false,
        }
    }

    /// The name it goes by on the command line.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The name it was sold under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.header.name
    }

    /// One sentence: what it is built of.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.header.summary
    }

    /// Other names, as sources use them.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.header.aliases
    }

    /// Flash or platters.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.header.kind
    }

    /// Whose SMART attributes the drive reports, as written.
    pub(crate) fn smart_vendor_name(&self) -> Option<&str> {
        match &self.body {
            Body::Ssd(ssd) => ssd.smart.as_ref().map(|smart| smart.vendor.as_str()),
            Body::Disk(_) | Body::Ram(_) => None,
        }
    }

    /// Hash over everything the file says, settings included.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = StreamHash::default();
        hash.bytes(self.table.to_string().as_bytes());
        hash.value()
    }

    /// The text of a drive file that says the same by itself: what a base says is in it, and what was
    /// set.
    #[must_use]
    pub fn text(&self) -> String {
        self.table.to_string()
    }

    /// Every number and name of the file, by section.
    #[must_use]
    pub fn parameters(&self) -> Vec<ParameterRow> {
        let sections = self
            .table
            .iter()
            .filter_map(|(key, v)| Some((key, v.as_table()?)));
        let keys = sections.flat_map(|(section, table)| {
            table
                .iter()
                .map(move |(key, value)| (format!("{section}.{key}"), value))
        });
        keys.map(|(key, value)| {
            let base = self.inherited.origin(&key);
            row(key, value, base)
        })
        .collect()
    }
}

fn row(key: String, value: &Value, base: String) -> ParameterRow {
    let Value::Table(quantity) = value else {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_string);
        let none = String::new;
        return ParameterRow {
            key,
            value,
            unit: none(),
            source: none(),
            confidence: none(),
            note: none(),
            base,
        };
    };
    let text = |name: &str| match quantity.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Float(number)) => format!("{number}"),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let unit = text("unit");
    ParameterRow {
        key,
        value: text("value"),
        unit: if unit == "1" { String::new() } else { unit },
        source: text("source"),
        confidence: text("confidence"),
        note: text("note"),
        base,
    }
}

impl Testbed {
    /// Reads the text of a testbed file. `slug` names it in errors.
    ///
    /// # Errors
    /// When the text is not TOML, or a key is unknown, missing or impossible.
    pub fn parse(slug: &str, text: &str) -> Result<Testbed, DriveError> {
        let invalid = |why: String| DriveError::Invalid {
            file: slug.to_string(),
            why,
        };
        let file: TestbedFile = toml::from_str(text).map_err(|e| invalid(one_line(&e)))?;
        let queue_order = HostOrder::named(&file.host.queue_order).ok_or_else(|| {
            invalid(format!(
                "host.queue_order `{}` is none of: {}",
                file.host.queue_order,
                HostOrder::NAMES.join(", ")
            ))
        })?;
        let port = |name: &String| {
            Port::named(name).ok_or_else(|| {
                let names = Port::ALL.map(Port::name).join(", ");
                invalid(format!("host.ports: `{name}` is none of: {names}"))
            })
        };
        let os = file.os.as_ref().map(OperatingSystem::of);
        Ok(Testbed {
            slug: slug.to_string(),
            name: file.name,
            host_command: file.host.command.get(),
            queue_order,
            ports: file.host.ports.iter().map(port).collect::<Result<_, _>>()?,
            link_sleeps: file.host.link_sleeps,
            processor: Processor {
                speed: file.host.cpu_speed.map_or(1.0, |speed| speed.base),
                cores: file.host.cpu_cores.map(|cores| cores.get()),
                sharing: file.host.cpu_sharing.map_or(0.0, |sharing| sharing.base),
            },
            os: os.transpose().map_err(invalid)?,
        })
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
            link_sleeps: self.link_sleeps,
        }
    }
}

/// A TOML error in one line: where, then what.
fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let place = lines
        .iter()
        .find(|line| line.starts_with("TOML parse error"));
    let place = place.map(|line| line.trim_start_matches("TOML parse error ").to_string() + ": ");
    // The lines of the file that are shown: a number or nothing, and a bar. A word of the file that
    // the reason repeats may hold a bar, too.
    let is_excerpt = |line: &str| {
        let before = line.split_once('|').map(|(before, _)| before.trim());
        before.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    };
    let what: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| !line.starts_with("TOML parse error") && !is_excerpt(line))
        .collect();
    place.unwrap_or_default() + &without_types(&what.join(" "))
}

#[cfg(test)]
mod tests;
