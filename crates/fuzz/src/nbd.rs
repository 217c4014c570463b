//! The input of a client of a network block device: refused, or understood as far as it goes, and
//! answered in a form that clients can read.

use crate::run::{Tally, Verdict, reason};
use ftlab_nbd::protocol::constants::{
    NBD_FLAG_CAN_MULTI_CONN, NBD_FLAG_HAS_FLAGS, NBD_FLAG_SEND_CACHE, NBD_FLAG_SEND_FAST_ZERO,
    NBD_FLAG_SEND_FLUSH, NBD_FLAG_SEND_FUA, NBD_FLAG_SEND_TRIM, NBD_FLAG_SEND_WRITE_ZEROES,
};
use ftlab_nbd::protocol::{
    ExportInfo, Handshake, HandshakeEnd, OPTION_BYTES_MAX, OPTION_HEADER_BYTES, Progress,
    REQUEST_BYTES, RequestHeader, Transmission, reply,
};
use ftlab_nbd::{BlockSizes, Command};

/// Sizes of the exports: one that is small, and one that ends where numbers do.
const EXPORTS: [(&str, u64); 2] = [("disk", 1 << 20), ("large", !511)];

fn exports() -> [ExportInfo; 2] {
    EXPORTS.map(|(name, size_bytes)| ExportInfo {
        name: name.into(),
        description: "a device".into(),
        size_bytes,
        flags: NBD_FLAG_HAS_FLAGS
            | NBD_FLAG_SEND_FLUSH
            | NBD_FLAG_SEND_FUA
            | NBD_FLAG_SEND_TRIM
            | NBD_FLAG_SEND_WRITE_ZEROES
            | NBD_FLAG_SEND_CACHE
            | NBD_FLAG_SEND_FAST_ZERO
            | NBD_FLAG_CAN_MULTI_CONN,
        block_sizes: BlockSizes {
            minimum_bytes: 512,
            preferred_bytes: 4096,
            maximum_bytes: 32 << 20,
        },
    })
}

/// Reads what a client sends: first how many bytes arrive at a time, then a negotiation, then
/// requests. What comes out must not depend on how the bytes arrive.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn nbd_client(data: &[u8]) -> Verdict {
    let Some((&step, input)) = data.split_first() else {
        return Verdict::NoInput;
    };
    let exports = exports();
    let encrypted = in_any_pieces(|| Handshake::requiring_tls(&exports), input, step);
    let begun = matches!(encrypted.end, Some(Ok(HandshakeEnd::Transmission(_))));
    assert!(encrypted.starts_tls || !begun, "it began without TLS");
    let whole = in_any_pieces(|| Handshake::new(&exports), input, step);
    assert!(!whole.starts_tls, "there is no TLS");
    match whole.end {
        None => Verdict::NoInput,
        Some(Err(why)) => Verdict::Refused(reason(&format!("negotiation: {why}"))),
        Some(Ok(HandshakeEnd::Aborted)) => Verdict::Ran(Tally::default()),
        Some(Ok(HandshakeEnd::Transmission(begun))) => requests(&begun, &input[whole.taken..]),
    }
}

/// The end of a negotiation.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    output: Vec<u8>,
    taken: usize,
    starts_tls: bool,
    end: Option<Result<HandshakeEnd, String>>,
}

/// The end of a negotiation, which must be the same when its bytes arrive a few at a time.
fn in_any_pieces<'a>(begin: impl Fn() -> Handshake<'a>, input: &[u8], step: u8) -> Outcome {
    let whole = negotiate(begin(), input, input.len());
    let pieces = negotiate(begin(), input, usize::from(step) + 1);
    assert_eq!(whole, pieces, "it matters how bytes arrive");
    whole
}

/// The bytes within TLS follow as they are.
fn negotiate(mut handshake: Handshake<'_>, input: &[u8], step: usize) -> Outcome {
    let (mut output, mut taken, mut there) = (Vec::new(), 0, 0);
    let mut starts_tls = false;
    let end = loop {
        let before = output.len();
        match handshake.advance(&input[taken..there], &mut output) {
            Ok(Progress::Took(count)) => taken += count,
            Ok(Progress::StartsTls(count)) => {
                assert!(!starts_tls, "TLS within TLS");
                starts_tls = true;
                taken += count;
            }
            Ok(Progress::Ended(count, end)) => {
                taken += count;
                break Some(Ok(end));
            }
            // It is given more bytes only when it needs them, so that it cannot rely on having more.
            Ok(Progress::Needs(count)) => {
                assert!(count > there - taken, "what it needs is there");
                assert!(count <= OPTION_HEADER_BYTES + OPTION_BYTES_MAX as usize);
                if there == input.len() {
                    break None;
                }
                there = input.len().min(there + step);
            }
            Err(violation) => break Some(Err(violation.to_string())),
        }
        assert!(taken <= there, "more was taken than there is");
        assert!(output.len() - before < 1_000, "a long answer to one option");
    };
    Outcome {
        output,
        taken,
        starts_tls,
        end,
    }
}

fn requests(begun: &Transmission, mut input: &[u8]) -> Verdict {
    let mut tally = Tally::default();
    while let Some((bytes, rest)) = input.split_first_chunk::<REQUEST_BYTES>() {
        let header = match RequestHeader::decode(bytes) {
            Ok(header) => header,
            Err(bad) => return Verdict::Refused(reason(&format!("request: {bad}"))),
        };
        assert_eq!(&header.encode(), bytes, "a request reads as another one");
        if header.disconnects() {
            break;
        }
        // There is no drive behind this: the form of the reply is all that is checked.
        let head = match header.check(begun) {
            Ok(command) => {
                let end = header.offset_bytes.checked_add(header.length_bytes.into());
                assert!(end.is_some_and(|end| end <= begun.size_bytes), "{header:?}");
                assert!(command != Command::BlockStatus || begun.block_status);
                match command {
                    Command::Read => {
                        assert!(header.length_bytes <= begun.block_sizes.maximum_bytes);
                        let at = header.offset_bytes;
                        reply::data(
                            begun.structured_replies,
                            header.cookie,
                            at,
                            header.length_bytes,
                        )
                    }
                    _ => reply::done(begun.structured_replies, header.cookie),
                }
            }
            Err(error) => reply::error(begun.structured_replies, header.cookie, error),
        };
        let answered = reply::decode(head.as_bytes()).map(|(reply, _)| match reply {
            reply::Reply::Simple { cookie, .. } | reply::Reply::Chunk { cookie, .. } => cookie,
        });
        assert_eq!(
            answered,
            Some(header.cookie),
            "the answer is another request's"
        );
        tally.commands += 1;
        input = rest
            .get(header.payload_bytes() as usize..)
            .unwrap_or_default();
    }
    Verdict::Ran(tally)
}
