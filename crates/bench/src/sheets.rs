//! Drives as reports show them.

use ftlab_base::amount::decimal;
use ftlab_base::{CommandKind, Nanos};
use ftlab_drive::{DriveFile, Kind, default_testbed};
use ftlab_host::Testbed;
use ftlab_lab::{Member, Subject};
use ftlab_result::{Alone, DriveKind, DriveSheet, Member as MemberSheet, Parameter};

/// The drives that loads run on, as one.
#[must_use]
pub fn sheet_of(subject: &Subject) -> DriveSheet {
    let sheet = match (subject.full(), subject.only()) {
        (Some(file), _) | (None, Some(file)) => sheet(file),
        (None, None) => sheet_of_several(subject),
    };
    let swept = subject.as_variant().name.as_str();
    let file = subject.full().or_else(|| subject.only());
    let name = file.map_or_else(|| sheet.name.clone(), |file| name_of(file, swept));
    DriveSheet {
        drive: subject.id(),
        name,
        ..sheet
    }
}

/// The name of a drive, and everything that was changed of it: what all variants share, its capacity if that follows from
/// it, and `swept`, the settings that tell variants apart.
fn name_of(file: &DriveFile, swept: &str) -> String {
    let of_variant: Vec<&str> = swept.split(',').collect();
    let mut words = vec![file.name().to_owned()];
    let is_of_drive =
        |setting: &&String| setting.contains('.') && !of_variant.contains(&setting.as_str());
    let changed: Vec<&String> = file.settings().iter().filter(is_of_drive).collect();
    words.extend(changed.iter().map(|setting| (*setting).clone()));
    let is_of_size =
        |setting: &&&String| setting.starts_with("nand.") || setting.starts_with("spare.");
    if changed.iter().any(|setting| is_of_size(&setting)) {
        words.push(format!(
            "{} for the host",
            decimal(file.capacity_bytes() as f64, "B")
        ));
    }
    words.extend((!swept.is_empty()).then(|| swept.replace(',', ", ")));
    words.join(", ")
}

fn sheet_of_several(subject: &Subject) -> DriveSheet {
    let member = |member: &Member| MemberSheet {
        name: member.name.clone(),
        drive: sheet(&member.file),
    };
    let members: Vec<MemberSheet> = subject.members().iter().map(member).collect();
    let words = |of: fn(&MemberSheet) -> &str| {
        let each = members.iter();
        let each = each.map(|member| format!("{}: {}", member.name, of(member)));
        each.collect::<Vec<_>>()
    };
    DriveSheet {
        drive: subject.slug().to_owned(),
        name: words(|member| &member.drive.name).join(", "),
        summary: words(|member| &member.drive.summary).join(" "),
        kind: members[0].drive.kind,
        capacity_bytes: subject.capacity_bytes(),
        file_hash: hash_words(subject.hash()),
        parameters: Vec::new(),
        alone: Vec::new(),
        alone_on: String::new(),
        members,
    }
}

/// The drive as the report shows it.
#[must_use]
pub fn sheet(file: &DriveFile) -> DriveSheet {
    let testbed = default_testbed([file]);
    let parameter = |row: ftlab_drive::ParameterRow| Parameter {
        key: row.key,
        value: row.value,
        unit: row.unit,
        source: row.source,
        confidence: row.confidence,
        from: row.from,
        note: crate::figures::sources_in_words(&row.note),
        base: row.base,
    };
    DriveSheet {
        drive: file.slug().to_owned(),
        name: file.name().to_owned(),
        summary: file.summary().to_owned(),
        kind: match file.kind() {
            Kind::Ssd => DriveKind::Ssd,
            Kind::Disk => DriveKind::Disk,
            Kind::Ram => DriveKind::Ram,
        },
        capacity_bytes: file.capacity_bytes(),
        file_hash: hash_words(file.hash()),
        parameters: file.parameters().into_iter().map(parameter).collect(),
        alone: alone(file, testbed),
        // Only an SSD has times of commands alone, and a machine to show them for.
        alone_on: match file.kind() {
            Kind::Ssd => testbed.to_owned(),
            Kind::Disk | Kind::Ram => String::new(),
        },
        members: Vec::new(),
    }
}

/// The times of single commands of 4 KiB behind a host that comes with ftlab, a row for each kind; none for what is no
/// SSD.
fn alone(file: &DriveFile, testbed: &str) -> Vec<Alone> {
    let testbed = Testbed::load(testbed).expect("it comes with ftlab");
    let kinds = [
        (CommandKind::Read, "read 4 KiB"),
        (CommandKind::Write, "write 4 KiB"),
    ];
    let row = |(kind, command): (CommandKind, &str)| {
        let parts = file.alone(kind, &testbed)?;
        let us = |span: Nanos| span.0 as f64 / 1e3;
        Some(Alone {
            command: command.to_owned(),
            host_us: us(parts.host),
            link_us: us(parts.link),
            firmware_us: us(parts.firmware),
            flash_us: us(parts.flash),
            bus_us: us(parts.bus),
            total_us: us(parts.total()),
        })
    };
    kinds.into_iter().filter_map(row).collect()
}

fn hash_words(hash: u64) -> String {
    format!("{hash:016x}")
}
