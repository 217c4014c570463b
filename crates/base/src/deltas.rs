//! Tables of numbers in a saved state: each as its difference to the one before.
//!
//! Neighbours of a mapping table mostly point to neighbours, and counts are mostly equal, so the
//! differences are small and repeat, which a compressor can use.

use serde::{Deserialize, Deserializer, Serializer};

/// For `#[serde(with = "…")]` on a table.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: Serializer>(table: &[u32], to: S) -> Result<S::Ok, S::Error> {
    let mut before = 0;
    to.collect_seq(table.iter().map(|&number| {
        let step = number.wrapping_sub(std::mem::replace(&mut before, number)) as i32;
        // Signs in the lowest bit: small steps down are small numbers too.
        ((step << 1) ^ (step >> 31)) as u32
    }))
}

/// For `#[serde(with = "…")]` on a table.
///
/// # Errors
/// The deserializer's.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    let mut table = Vec::<u32>::deserialize(from)?;
    let mut before = 0_u32;
    for number in &mut table {
        let step = (*number >> 1) ^ (*number & 1).wrapping_neg();
        before = before.wrapping_add(step);
        *number = before;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, SeqDeserializer};
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Table(#[serde(with = "super")] Vec<u32>);

    #[test]
    fn a_table_comes_back_and_neighbours_are_small() {
        let table = Table(vec![7, 8, 9, 6, u32::MAX, u32::MAX, 0, 1 << 31]);
        let json = serde_json::to_string(&table).unwrap();
        assert!(json.starts_with("[14,2,2,5,"), "{json}");
        assert_eq!(serde_json::from_str::<Table>(&json).unwrap(), table);
    }

    #[test]
    fn any_numbers_are_some_table() {
        let steps = [u32::MAX, 0, 1, u32::MAX - 1];
        let from: SeqDeserializer<_, Error> = steps.to_vec().into_deserializer();
        assert_eq!(super::deserialize(from).unwrap().len(), 4);
    }
}
