//! Attributes of an ATA drive as `smartctl` prints them in JSON.

use super::{Bytes, Health, count, percent};
use ftlab_result::SmartAttribute;
use ftlab_smart::Counted;
use serde_json::Value;

/// Normalised values of what is left of something begin here.
const BEST: u8 = 100;

/// Reads `smartctl -j -a`.
pub(super) fn health(json: &Value) -> Health {
    let rows = json["ata_smart_attributes"]["table"].as_array();
    let smart: Vec<SmartAttribute> = rows.into_iter().flatten().filter_map(attribute).collect();
    let mut health = Health {
        celsius: json["temperature"]["current"]
            .as_i64()
            .and_then(|celsius| i32::try_from(celsius).ok()),
        ..Health::default()
    };
    // A drive that the database does not know has its maker's meanings under others' names.
    if json["in_smartctl_database"] == true {
        for attribute in &smart {
            take(&mut health, attribute, count(&json["logical_block_size"]));
        }
    }
    health.smart = smart;
    health
}

fn attribute(row: &Value) -> Option<SmartAttribute> {
    Some(SmartAttribute {
        id: u8::try_from(row["id"].as_u64()?).ok()?,
        name: row["name"].as_str()?.to_owned(),
        value: percent(&row["value"])?,
        threshold: percent(&row["thresh"]).unwrap_or(0),
        raw: count(&row["raw"]["value"])?,
    })
}

/// Takes up what an attribute tells. Where two tell the same, the first one counts.
fn take(health: &mut Health, attribute: &SmartAttribute, block_bytes: Option<u64>) {
    let Some(counted) = Counted::of(attribute.id, &attribute.name) else {
        return;
    };
    let raw = attribute.raw;
    let units = |unit: u64| Some(Bytes::units(raw, unit));
    match counted {
        Counted::HostBlocks => health.host = health.host.or(block_bytes.and_then(units)),
        Counted::HostUnits(unit) => health.host = health.host.or(units(unit)),
        Counted::FlashUnits(unit) => health.media = health.media.or(units(unit)),
        Counted::UsedPercent => put(&mut health.percentage_used, raw.min(255) as u8),
        Counted::LeftPercent => put(
            &mut health.percentage_used,
            BEST.saturating_sub(attribute.value),
        ),
        Counted::SparePercent => put(&mut health.available_spare, attribute.value),
        Counted::UnsafeShutdowns => put(&mut health.unsafe_shutdowns, raw),
        Counted::MediaErrors => put(&mut health.media_errors, raw),
    }
}

fn put<T>(place: &mut Option<T>, value: T) {
    place.get_or_insert(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(is_known: bool) -> Value {
        let row = |id: u8, name: &str, value: u8, raw: u64| {
            json!({
                "id": id, "name": name, "value": value, "worst": value, "thresh": 0,
                "raw": {"value": raw, "string": raw.to_string()},
            })
        };
        json!({
            "in_smartctl_database": is_known,
            "logical_block_size": 512,
            "temperature": {"current": 31},
            "ata_smart_attributes": {"table": [
                row(174, "Unsafe_Shutdown_Count", 100, 3),
                row(225, "Host_Writes_32MiB", 100, 1000),
                row(233, "Media_Wearout_Indicator", 97, 0),
                row(249, "NAND_Writes_1GiB", 100, 40),
            ]},
        })
    }

    #[test]
    fn attributes_count_what_the_table_knows() {
        let health = health(&said(true));
        let counters = health.counters();
        assert_eq!(counters.host_bytes_written, Some(1000 * (32 << 20)));
        assert_eq!(counters.media_bytes_written, Some(40 << 30));
        assert_eq!(
            (counters.percentage_used, counters.celsius),
            (Some(3), Some(31))
        );
        assert_eq!(counters.unsafe_shutdowns, Some(3));
        assert_eq!(counters.media_errors, None);
        assert_eq!(health.smart.len(), 4);
    }

    #[test]
    fn a_drive_that_the_database_does_not_know_counts_nothing() {
        let health = health(&said(false));
        let counters = health.counters();
        assert_eq!(
            (counters.host_bytes_written, counters.media_bytes_written),
            (None, None)
        );
        assert_eq!((counters.celsius, health.smart.len()), (Some(31), 4));
    }
}
