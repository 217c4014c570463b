//! A drive file, read and looked at.

use super::embedded::{BASES, DRIVES};
use super::members::{self, Choice};
use super::own::OwnPolicies;
use super::plan::LayerPlan;
use super::removed::{self, RemovedKey};
use super::sections;
use super::sections::disk::DiskFile;
use super::sections::head::{Header, Kind};
use super::sections::link::Link;
use super::sections::ram::RamFile;
use super::settings;
use super::spelled::spell_out;
use super::ssd::{Mapping, SsdFile};
use crate::faults::Program;
use crate::smart::Vendor;
use ftlab_base::{Nanos, RootSeed, SECTOR_BYTES, StreamHash};
use ftlab_host::{Host, Port};
use ftlab_sheet::base::{self, Inherited};
use ftlab_sheet::places::Places;
use ftlab_sheet::{SheetError, check_schema, one_line};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// A drive file, settings applied.
#[derive(Debug, Clone)]
pub struct DriveFile {
    pub(super) slug: String,
    pub(super) header: Header,
    table: Table,
    choices: BTreeMap<String, Choice>,
    pub(super) body: Body,
    /// Keys that its bases say.
    inherited: Inherited,
    /// Policies of its reader's own, which it may name.
    pub(super) own: OwnPolicies,
    /// Everything that was set of the file, as `key=value`, in order.
    settings: Vec<String>,
}

/// The amount that a maker lets the host write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedBytes {
    /// The amount.
    pub bytes: u64,
    /// True if no source gives it, and it is the usual amount of the drive's class.
    pub is_assumed: bool,
}

impl RatedBytes {
    /// Years of 365 days until a host that writes `bytes_per_day` has written the amount.
    #[must_use]
    pub fn years(self, bytes_per_day: f64) -> f64 {
        const DAYS_A_YEAR: f64 = 365.0;
        self.bytes as f64 / (bytes_per_day * DAYS_A_YEAR)
    }
}

#[derive(Debug, Clone)]
pub(super) enum Body {
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
    /// `datasheet`, `review`, `measured`, `fitted`, `derived`, `assumed`, `imported`, `set`; empty for a name.
    pub source: String,
    /// `high`, `medium`, `low`; empty for a name.
    pub confidence: String,
    /// Ids of the figures that it was worked out from; mostly none.
    pub from: Vec<String>,
    /// Note on where it comes from, or what pins it.
    pub note: String,
    /// The base that the file takes it from; empty when it is the file's own.
    pub base: String,
}

impl DriveFile {
    /// See `Catalog::parse`.
    pub(super) fn parse(
        slug: &str,
        text: &str,
        settings: &[String],
        own: &OwnPolicies,
    ) -> Result<DriveFile, SheetError> {
        let file = Self::of_table(slug, table_of(slug, text)?, settings, own);
        file.map_err(|error| {
            let set = settings
                .iter()
                .filter_map(|setting| setting.split_once('='));
            let set: Vec<String> = set.map(|(key, _)| key.trim().to_owned()).collect();
            error.in_text(&Places::of(text).without(&set))
        })
    }

    /// See `Catalog::parse_older`.
    pub(super) fn parse_older(
        slug: &str,
        text: &str,
        removed: &[RemovedKey],
        own: &OwnPolicies,
    ) -> Result<(DriveFile, Vec<String>), SheetError> {
        let mut table = table_of(slug, text)?;
        let notes = removed::convert(&mut table, removed);
        Ok((Self::of_table(slug, table, &[], own)?, notes))
    }

    /// The drive of a table, with what its base says and settings.
    fn of_table(
        slug: &str,
        mut table: Table,
        settings: &[String],
        own: &OwnPolicies,
    ) -> Result<DriveFile, SheetError> {
        let inherited =
            base::inherit(&mut table, BASES, DRIVES).map_err(|why| invalid(slug, why))?;
        let kind = table.get("kind").and_then(Value::as_str);
        if let Some(kind) = kind.and_then(Kind::named) {
            spell_out(&mut table, sections(kind));
        }
        Self::made(slug, table, inherited, own.clone(), settings)
    }

    /// The drive of a table, with settings.
    fn made(
        slug: &str,
        mut table: Table,
        mut inherited: Inherited,
        own: OwnPolicies,
        settings: &[String],
    ) -> Result<DriveFile, SheetError> {
        for setting in settings {
            let key = settings::apply(&mut table, setting).map_err(SheetError::Setting)?;
            inherited.set(&key);
        }
        let file = Self::interpret(slug, table, inherited, own);
        let file = file.and_then(|file| file.check().map(|()| file));
        let file = file.map(|file| DriveFile {
            settings: settings.to_vec(),
            ..file
        });
        file.map_err(|why| match settings {
            [] => invalid(slug, why),
            _ => {
                let settings = settings.join(" --set ");
                invalid(slug, format!("{why} (with --set {settings})"))
            }
        })
    }

    fn interpret(
        slug: &str,
        table: Table,
        inherited: Inherited,
        own: OwnPolicies,
    ) -> Result<DriveFile, String> {
        let mut sections = table.clone();
        let header = Header::taken_from(&mut sections)?;
        let choices = members::choices(&mut sections)?;
        check_schema(header.schema)?;
        let body = match header.kind {
            Kind::Ssd => Body::Ssd(Box::new(SsdFile::read(sections)?)),
            Kind::Disk => Body::Disk(Box::new(DiskFile::read(sections)?)),
            Kind::Ram => Body::Ram(Box::new(RamFile::read(sections)?)),
        };
        Ok(DriveFile {
            slug: slug.to_string(),
            header,
            table,
            body,
            choices,
            inherited,
            own,
            settings: Vec::new(),
        })
    }

    /// Makes the drive with `key=value` settings applied.
    ///
    /// # Errors
    /// When a setting cannot be applied, or makes an impossible drive.
    pub fn with(&self, settings: &[String]) -> Result<DriveFile, SheetError> {
        let (table, inherited) = (self.table.clone(), self.inherited.clone());
        let mut file = Self::made(&self.slug, table, inherited, self.own.clone(), settings)?;
        file.settings.splice(..0, self.settings.iter().cloned());
        Ok(file)
    }

    /// The same drive with the policies that these names stand for from now on. Those that it names must be among them.
    #[must_use]
    pub fn knowing(&self, own: OwnPolicies) -> DriveFile {
        DriveFile {
            own,
            ..self.clone()
        }
    }

    pub(super) fn ssd(&self) -> Option<&SsdFile> {
        match &self.body {
            Body::Ssd(ssd) => Some(ssd),
            Body::Disk(_) | Body::Ram(_) => None,
        }
    }

    /// Bytes of flash, spare bytes of pages left out; `None` without flash.
    #[must_use]
    pub fn raw_bytes(&self) -> Option<u64> {
        let layout = self.ssd()?.layout().expect("checked on reading");
        Some(layout.geometry.raw_bytes())
    }

    /// Bytes that the host can write to the cache of SLC of an empty drive; `None` without one.
    #[must_use]
    pub fn cache_bytes(&self) -> Option<u64> {
        let ssd = self.ssd()?;
        let slc = ssd.mapping.page()?.slc.as_ref()?;
        Some(slc.bytes(&ssd.layout().expect("checked on reading")))
    }

    /// Bytes of its write buffer; `None` without flash.
    #[must_use]
    pub fn buffer_bytes(&self) -> Option<u64> {
        self.ssd().map(SsdFile::buffer_bytes)
    }

    /// Bits that a cell outside the cache of SLC holds; `None` without one.
    #[must_use]
    pub fn bits_behind_cache(&self) -> Option<u32> {
        let slc = self.ssd()?.mapping.page()?.slc.as_ref()?;
        Some(slc.bits())
    }

    /// Bytes of a slot, the unit of its mapping and of what a trim frees; `None` without flash.
    #[must_use]
    pub fn slot_bytes(&self) -> Option<u64> {
        self.ssd().map(SsdFile::slot_bytes)
    }

    /// Program/erase cycles by which a share of the blocks, above 0 and below 1, is worn out when all wear alike, if the
    /// file says.
    #[must_use]
    pub fn worn_out_cycles(&self, share: f64) -> Option<f64> {
        let endurance = self.ssd()?.endurance().expect("checked on reading")?;
        Some(endurance.cycles_until(share))
    }

    /// Program/erase cycles that a block is rated for, if the file says.
    #[must_use]
    pub fn rated_cycles(&self) -> Option<u32> {
        let keys = self.ssd()?.reliability.as_ref()?;
        Some(keys.rated_cycles.as_ref()?.get())
    }

    /// The amount that its maker lets the host write (TBW), if the file says.
    #[must_use]
    pub fn rated_bytes(&self) -> Option<RatedBytes> {
        const KEY: &str = "reliability.rated_bytes";
        let keys = self.ssd()?.reliability.as_ref()?;
        let bytes = keys.rated_bytes.as_ref()?.get();
        let row = self.parameters().into_iter().find(|row| row.key == KEY)?;
        Some(RatedBytes {
            bytes,
            is_assumed: row.source == "assumed",
        })
    }

    /// Bytes a second that its side of the link takes; `None` without a cable.
    #[must_use]
    pub fn link_bytes_s(&self) -> Option<u64> {
        self.link().map(Link::bytes_s)
    }

    /// Returns true if a port of SATA slows it down.
    #[must_use]
    pub fn waits_for(&self, port: Port) -> bool {
        self.link().is_some_and(|link| link.waits_for(port))
    }

    /// The name of the link on a host, as results give it: `sata6g`, `pcie4x4`, `other` for a cable that outruns SATA, `none`
    /// without one.
    #[must_use]
    pub fn link_on(&self, host: &Host) -> &'static str {
        self.link().map_or("none", |link| link.name_on(host))
    }

    /// Returns true if a limit lies at its port, as before the volumes of clouds.
    pub(super) fn has_limit(&self) -> bool {
        match &self.body {
            Body::Ssd(ssd) => ssd.limit.is_some(),
            Body::Disk(disk) => disk.limit.is_some(),
            Body::Ram(ram) => ram.limit.is_some(),
        }
    }

    pub(super) fn link(&self) -> Option<&Link> {
        match &self.body {
            Body::Ssd(ssd) => Some(&ssd.link),
            Body::Disk(disk) => Some(&disk.link),
            Body::Ram(_) => None,
        }
    }

    /// Returns true if what the host writes decides how much is programmed.
    #[must_use]
    pub fn compresses(&self) -> bool {
        (self.ssd()).is_some_and(|ssd| matches!(ssd.mapping, Mapping::Packed(_)))
    }

    /// Returns true if what is in the write buffer survives a power cut.
    #[must_use]
    pub fn keeps_its_buffer(&self) -> bool {
        self.ssd().is_some_and(SsdFile::keeps_buffer)
    }

    /// Returns true if a write with FUA makes everything before it safe, and not its own data alone.
    #[must_use]
    pub fn fua_flushes_all(&self) -> bool {
        self.ssd().is_some_and(SsdFile::fua_flushes_all)
    }

    /// Bytes that are written as a whole, or not at all, when the power goes: of a slot of flash, or a sector.
    #[must_use]
    pub fn atomic_write_bytes(&self) -> u64 {
        self.ssd().map_or(SECTOR_BYTES, SsdFile::atomic_write_bytes)
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

    /// Everything that was set of its file, as `key=value`, in order.
    #[must_use]
    pub fn settings(&self) -> &[String] {
        &self.settings
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

    /// Kind of medium that it is built of.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.header.kind
    }

    /// Maker whose attributes the drive reports, if its file says.
    #[must_use]
    pub fn smart_vendor(&self) -> Option<Vendor> {
        Some(self.ssd()?.smart.as_ref()?.vendor)
    }

    /// Returns true if the drive speaks NVMe, and so has that standard's logs.
    #[must_use]
    pub fn is_nvme(&self) -> bool {
        self.ssd().is_some_and(SsdFile::is_nvme)
    }

    /// Hash over everything the file says, settings included.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = StreamHash::default();
        hash.bytes(self.text().as_bytes());
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
        let sections = self.sections();
        let rows = |(section, (key, value)): (&String, (&String, &Value))| {
            let key = format!("{section}.{key}");
            let base = self.inherited.origin(&key);
            rows(key, value, &base)
        };
        let keys = sections.flat_map(|(name, section)| section.iter().map(move |key| (name, key)));
        keys.flat_map(rows).collect()
    }

    /// The sections of its table but for the choices of its class.
    pub(super) fn sections(&self) -> impl Iterator<Item = (&String, &Table)> {
        let sections = self.table.iter();
        let sections = sections.filter_map(|(name, section)| Some((name, section.as_table()?)));
        sections.filter(|(name, _)| name.as_str() != members::SECTION)
    }

    /// The choices that makers of its class have, by their names.
    #[must_use]
    pub fn choices(&self) -> &BTreeMap<String, Choice> {
        &self.choices
    }

    /// True if the file itself, or a setting, says what a key is, and no base.
    pub(super) fn says(&self, key: &str) -> bool {
        let (section, name) = key.split_once('.').unwrap_or_default();
        let there = self
            .table
            .get(section)
            .and_then(|section| section.get(name));
        there.is_some() && self.inherited.origin(key).is_empty()
    }

    /// Checks everything that making the drive would, so that what is read can also be built, and
    /// makes nothing: a file is read to be shown or listed as well.
    fn check(&self) -> Result<(), String> {
        match &self.body {
            Body::Ssd(ssd) => self.plan(ssd, RootSeed(0)).map(drop)?,
            Body::Disk(disk) => disk.params().check()?,
            Body::Ram(ram) => ram.check()?,
        }
        self.scripted().map(drop)
    }

    /// The faults of its requests, in the time of the model.
    #[must_use]
    pub fn faults(&self) -> Program {
        self.scripted().expect("checked on reading")
    }

    fn scripted(&self) -> Result<Program, String> {
        let script = match &self.body {
            Body::Ssd(ssd) => ssd.faults.as_ref().map(|faults| &faults.script),
            Body::Disk(disk) => disk.faults.as_ref().map(|faults| &faults.script),
            Body::Ram(ram) => ram.faults.as_ref().map(|faults| &faults.script),
        };
        let mut program = Program::default();
        for (number, rule) in (1..).zip(script.into_iter().flatten()) {
            let added = program.add(rule.clone(), Nanos::ZERO, self.capacity_bytes(), true);
            added.map_err(|why| format!("[[faults.script]] {number} ({rule}): {why}"))?;
        }
        Ok(program)
    }

    pub(super) fn invalid(&self, why: String) -> SheetError {
        invalid(&self.slug, why)
    }

    /// The translation layer that the file asks for.
    pub(super) fn plan(&self, ssd: &SsdFile, seed: RootSeed) -> Result<LayerPlan, String> {
        let layout = ssd.layout()?;
        let user_slots = ssd.user_slots(&layout)?;
        ssd.check()?;
        let scheme = ssd.scheme(&layout, user_slots, (seed, &self.own))?;
        Ok(LayerPlan {
            layout,
            user_slots,
            scheme,
        })
    }
}

fn invalid(slug: &str, why: String) -> SheetError {
    SheetError::Invalid {
        file: slug.to_owned(),
        why,
    }
}

fn table_of(slug: &str, text: &str) -> Result<Table, SheetError> {
    let table = text.parse::<Table>();
    table.map_err(|why| invalid(slug, one_line(&why)))
}

/// The rows of a key: one, or for a list of tables one of each of their keys, as `power.states[1].after`.
fn rows(key: String, value: &Value, base: &str) -> Vec<ParameterRow> {
    let tables = value.as_array().into_iter().flatten();
    let tables: Vec<&Table> = tables.filter_map(Value::as_table).collect();
    if tables.is_empty() {
        return vec![row(key, value, base.to_owned())];
    }
    let of_table = |(number, table): (usize, &&Table)| {
        let row = |(inner, value): (&String, &Value)| {
            row(format!("{key}[{number}].{inner}"), value, base.to_owned())
        };
        table.iter().map(row).collect::<Vec<_>>()
    };
    (1..).zip(&tables).flat_map(of_table).collect()
}

fn row(key: String, value: &Value, base: String) -> ParameterRow {
    let words = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => format!("{number}"),
        other => other.to_string(),
    };
    let quantity = value.as_table();
    let text = |name: &str| {
        quantity
            .and_then(|of| of.get(name))
            .map(words)
            .unwrap_or_default()
    };
    let from = quantity
        .map(ftlab_sheet::provenance::named_in)
        .unwrap_or_default();
    ParameterRow {
        from: from.into_iter().collect(),
        key,
        value: if quantity.is_some() {
            text("value")
        } else {
            words(value)
        },
        // A pure number has the unit 1, which is not shown.
        unit: Some(text("unit"))
            .filter(|unit| unit != "1")
            .unwrap_or_default(),
        source: text("source"),
        confidence: text("confidence"),
        note: text("note"),
        base,
    }
}
