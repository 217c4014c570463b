//! Content of real bytes: compressed for their size, hashed for their identity.
//!
//! A simulated drive is given the properties of data; one that holds data finds them out here. The codec takes the
//! place of the one in a controller's hardware, which no maker describes: LZ4 is of the same kind, made for speed,
//! and leaves incompressible data as long as they are.

use ftlab_base::{Content, Identity};
use xxhash_rust::xxh3::xxh3_64;

/// Describes the data of a slot. Equal data give equal content; different data have different identities but for one
/// pair in 2⁴⁸, so whoever stores data once by identity compares them first.
#[must_use]
pub fn content_of(data: &[u8]) -> Content {
    packed(data).0
}

/// The identity that [`content_of`] gives them.
#[must_use]
pub fn identity_of(data: &[u8]) -> Option<Identity> {
    match data.iter().all(|&byte| byte == 0) {
        true => Content::ZEROS.identity(),
        false => Some(Identity::of(xxh3_64(data))),
    }
}

/// Data as they are stored once compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packed {
    /// Nothing: they are zeros.
    Zeros,
    /// The compressed bytes, fewer than the data.
    Shorter(Vec<u8>),
    /// The data themselves, which do not compress.
    Whole,
}

/// Describes the data of a slot, as [`content_of`] does, and compresses them to be stored.
#[must_use]
pub fn packed(data: &[u8]) -> (Content, Packed) {
    if data.iter().all(|&byte| byte == 0) {
        return (Content::ZEROS, Packed::Zeros);
    }
    let compressed = lz4_flex::block::compress(data);
    let content = Content::compressed(compressed.len() as u32, data.len() as u32)
        .with_identity(Identity::of(xxh3_64(data)));
    if compressed.len() < data.len() {
        (content, Packed::Shorter(compressed))
    } else {
        (content, Packed::Whole)
    }
}

/// Makes of what [`packed`] left the data again; returns true if they are as long as `data`.
#[must_use]
pub fn unpack(compressed: &[u8], data: &mut [u8]) -> bool {
    lz4_flex::block::decompress_into(compressed, data).is_ok_and(|bytes| bytes == data.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::RootSeed;
    use rand::Rng;

    const SLOT: u32 = 4096;

    fn random(seed: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        RootSeed(seed).stream("codec").fill_bytes(&mut data);
        data
    }

    fn left(data: &[u8]) -> u32 {
        content_of(data).bytes_left(SLOT)
    }

    #[test]
    fn random_bytes_stay_as_long_as_they_are() {
        assert_eq!(left(&random(1, SLOT as usize)), SLOT);
    }

    #[test]
    fn what_repeats_compresses_by_its_share() {
        let text = b"the quick brown fox jumps over the lazy dog. ";
        let text: Vec<u8> = text.iter().copied().cycle().take(SLOT as usize).collect();
        assert!(left(&text) < SLOT / 16, "{} bytes", left(&text));
        // As fio fills a buffer: random bytes, then a pattern.
        for percent in [25, 50, 75] {
            let random_bytes = SLOT as usize * (100 - percent) / 100;
            let mut data = random(2, random_bytes);
            data.resize(SLOT as usize, 7);
            let stated = Content::compressible(percent as u8).bytes_left(SLOT);
            let measured = left(&data);
            assert!(
                (stated..stated + SLOT / 50).contains(&measured),
                "{percent} %: {measured} bytes, {stated} stated"
            );
        }
    }

    #[test]
    fn equal_bytes_have_one_identity_and_others_another() {
        let (one, two) = (random(3, SLOT as usize), random(4, SLOT as usize));
        assert_eq!(content_of(&one), content_of(&one.clone()));
        let identity = |data: &[u8]| content_of(data).identity().unwrap();
        assert_ne!(identity(&one), identity(&two));
        for data in [&one[..], &two[..], &[0; 512][..]] {
            assert_eq!(identity_of(data), content_of(data).identity());
        }
        let mut near = one.clone();
        near[4095] ^= 1;
        assert_ne!(identity(&one), identity(&near));
    }

    #[test]
    fn zeros_are_the_zeros_of_a_job() {
        assert_eq!(content_of(&[0; SLOT as usize]), Content::ZEROS);
        assert_ne!(content_of(&[1; SLOT as usize]), Content::ZEROS);
    }
}
