//! How many bytes of a drive its host may address.

use crate::ImageError;
use ftlab_base::SECTOR_BYTES;
use ftlab_base::amount::grouped;

/// Checks that a drive of `most` bytes can let the host address that many.
pub(crate) fn check_size(asked: u64, most: u64) -> Result<(), ImageError> {
    if asked > 0 && asked.is_multiple_of(SECTOR_BYTES) && asked <= most {
        return Ok(());
    }
    let bytes = match asked {
        1 => "1 byte".to_owned(),
        bytes => format!("{} bytes", grouped(bytes)),
    };
    let why = match asked > most {
        true => format!("the drive has {} bytes", grouped(most)),
        false => format!(
            "it must be whole sectors of {SECTOR_BYTES} bytes, up to the {} bytes that the drive has; a number without a \
             unit is in bytes, and 256m are 256 MiB",
            grouped(most)
        ),
    };
    Err(ImageError::Size { asked, bytes, why })
}
