//! Numbers of drive files.

use super::bare::Found;
use ftlab_base::RootSeed;
use ftlab_drive::DriveFile;
use std::collections::BTreeMap;

/// Numbers of the drive's file, in SI units, under their keys.
pub fn numbers(file: &DriveFile, _: RootSeed) -> Found {
    let mut all = BTreeMap::new();
    for row in file.parameters() {
        if let (Ok(value), Some(factor)) = (row.value.parse::<f64>(), factor(&row.unit)) {
            all.insert(row.key, value * factor);
        }
    }
    let pages = all.get("nand.page").zip(all.get("nand.pages_per_block"));
    let block_bytes = pages.map(|(page, pages)| page * pages);
    let raw_bytes = file.raw_bytes().map(|bytes| bytes as f64);
    for (name, value) in [
        ("user_bytes", Some(file.capacity_bytes() as f64)),
        ("link_bytes_s", file.link_bytes_s().map(|rate| rate as f64)),
        ("raw_bytes", raw_bytes),
        (
            "blocks",
            raw_bytes.zip(block_bytes).map(|(raw, block)| raw / block),
        ),
        ("cycles", file.rated_cycles().map(f64::from)),
    ] {
        all.extend(value.map(|value| (name.to_owned(), value)));
    }
    Ok(all)
}

/// The factor from a unit of drive files to seconds, bytes, joules, watts or one.
fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" => 1.0,
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "MB" => 1e6,
        "GB" => 1e9,
        "MB/s" => 1e6,
        "mW" => 1e-3,
        "W" => 1.0,
        _ => return None,
    })
}
