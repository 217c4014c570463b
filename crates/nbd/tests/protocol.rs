//! What holds for the protocol's functions, whatever the bytes.

use ftlab_nbd::protocol::constants::{
    NBD_FLAG_CAN_MULTI_CONN, NBD_FLAG_HAS_FLAGS, NBD_FLAG_READ_ONLY, NBD_FLAG_SEND_CACHE,
    NBD_FLAG_SEND_FLUSH, NBD_FLAG_SEND_TRIM, NBD_FLAG_SEND_WRITE_ZEROES, NBD_OPT_ABORT,
    NBD_OPT_EXPORT_NAME, NBD_OPT_GO, NBD_OPT_SET_META_CONTEXT, NBD_OPT_STARTTLS,
    NBD_OPT_STRUCTURED_REPLY, NBD_OPTION_REPLY_MAGIC, NBD_REP_ERR_TLS_REQD, NBD_REP_ERR_TOO_BIG,
};
use ftlab_nbd::protocol::reply::{self, Reply, decode};
use ftlab_nbd::protocol::{
    ClientOption, ExportInfo, Handshake, HandshakeEnd, OPTION_BYTES_MAX, OPTION_HEADER_BYTES,
    OptionHeader, Progress, REQUEST_BYTES, RequestHeader, Transmission, Violation,
};
use ftlab_nbd::{BlockSizes, Extent, NbdError};
use proptest::prelude::*;

fn exports() -> Vec<ExportInfo> {
    let all = NBD_FLAG_HAS_FLAGS
        | NBD_FLAG_SEND_FLUSH
        | NBD_FLAG_SEND_TRIM
        | NBD_FLAG_SEND_CACHE
        | NBD_FLAG_SEND_WRITE_ZEROES
        | NBD_FLAG_CAN_MULTI_CONN;
    [("disk", 1 << 20, 0), ("a", 1 << 40, NBD_FLAG_READ_ONLY)]
        .into_iter()
        .map(|(name, size_bytes, more)| ExportInfo {
            name: name.into(),
            description: "something".into(),
            size_bytes,
            flags: all | more,
            block_sizes: BlockSizes {
                minimum_bytes: 512,
                preferred_bytes: 4096,
                maximum_bytes: 32 << 20,
            },
        })
        .collect()
}

/// What a negotiation came to.
#[derive(Debug, PartialEq)]
struct Outcome {
    output: Vec<u8>,
    /// Bytes that were taken.
    taken: usize,
    /// How many of them come before TLS, if it is started.
    plain: Option<usize>,
    end: Option<Result<HandshakeEnd, Violation>>,
}

/// Gives the machine `input`, N bytes more whenever it needs some; what is within TLS as it is.
fn negotiate(mut handshake: Handshake<'_>, input: &[u8], step: usize) -> Outcome {
    let mut outcome = Outcome {
        output: Vec::new(),
        taken: 0,
        plain: None,
        end: None,
    };
    let mut there = 0;
    loop {
        match handshake.advance(&input[outcome.taken..there], &mut outcome.output) {
            Ok(Progress::Took(count)) => {
                assert!(outcome.taken + count <= there);
                outcome.taken += count;
            }
            Ok(Progress::StartsTls(count)) => {
                assert!(outcome.taken + count <= there);
                outcome.taken += count;
                assert_eq!(outcome.plain.replace(outcome.taken), None);
            }
            Ok(Progress::Ended(count, end)) => {
                outcome.taken += count;
                outcome.end = Some(Ok(end));
                return outcome;
            }
            Ok(Progress::Needs(count)) => {
                assert!(count > there - outcome.taken, "what it needs is there");
                assert!(count <= OPTION_HEADER_BYTES + OPTION_BYTES_MAX as usize);
                if there == input.len() {
                    return outcome;
                }
                there = input.len().min(there + step);
            }
            Err(violation) => {
                outcome.end = Some(Err(violation));
                return outcome;
            }
        }
    }
}

/// The replies to options that `output` consists of: option and kind.
fn option_replies(mut output: &[u8]) -> Option<Vec<(u32, u32)>> {
    let mut replies = Vec::new();
    let number =
        |bytes: &[u8], at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk::<4>()?));
    while !output.is_empty() {
        if output.get(..8)? != NBD_OPTION_REPLY_MAGIC.to_be_bytes() {
            return None;
        }
        replies.push((number(output, 8)?, number(output, 12)?));
        output = output.get(20 + number(output, 16)? as usize..)?;
    }
    Some(replies)
}

/// Data of options as clients send them, and some that are none.
fn option_data() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![
        Just(""),
        Just("disk"),
        Just("a"),
        Just("x"),
        Just("base:allocation")
    ];
    let string = |text: &str| [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat();
    let queries = prop::collection::vec(
        prop_oneof![
            Just("base:allocation"),
            Just("base:"),
            Just("x-y:z"),
            Just("")
        ],
        0..4,
    );
    prop_oneof![
        Just(vec![]),
        name.clone().prop_map(|name| name.as_bytes().to_vec()),
        (name.clone(), prop::collection::vec(0..5_u16, 0..5)).prop_map(move |(name, kinds)| {
            let mut data = string(name);
            data.extend((kinds.len() as u16).to_be_bytes());
            data.extend(kinds.iter().flat_map(|kind| kind.to_be_bytes()));
            data
        }),
        (name, queries).prop_map(move |(name, queries)| {
            let mut data = string(name);
            data.extend((queries.len() as u32).to_be_bytes());
            data.extend(queries.iter().flat_map(|query| string(query)));
            data
        }),
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// A client's side of a negotiation: flags and options.
fn session() -> impl Strategy<Value = Vec<u8>> {
    let option = (0..13_u32, option_data(), 0..40_u32).prop_map(|(code, data, off)| {
        let length_bytes = match off {
            0 => data.len() as u32 + 1,
            1 => OPTION_BYTES_MAX + 1,
            _ => data.len() as u32,
        };
        [&OptionHeader { code, length_bytes }.encode()[..], &data].concat()
    });
    let flags = prop_oneof![8 => Just(3_u32), 1 => Just(1), 1 => Just(0), 1 => Just(4)];
    (flags, prop::collection::vec(option, 0..8)).prop_map(|(flags, options)| {
        let mut bytes = flags.to_be_bytes().to_vec();
        bytes.extend(options.concat());
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(1), cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_negotiation_comes_to_the_same_however_its_bytes_arrive(
        input in session(), step in 1..50_usize,
    ) {
        let exports = exports();
        let whole = negotiate(Handshake::new(&exports), &input, usize::MAX / 2);
        prop_assert_eq!(&negotiate(Handshake::new(&exports), &input, step), &whole);
        prop_assert_eq!(whole.plain, None);
        // Only what begins by a name alone is no reply to an option.
        if option_replies(&whole.output).is_none() {
            let begun = matches!(whole.end, Some(Ok(HandshakeEnd::Transmission(_))));
            prop_assert!(begun);
        }
    }

    #[test]
    fn where_tls_is_required_nothing_is_said_before_it(input in session(), step in 1..50_usize) {
        let exports = exports();
        let whole = negotiate(Handshake::requiring_tls(&exports), &input, usize::MAX / 2);
        prop_assert_eq!(&negotiate(Handshake::requiring_tls(&exports), &input, step), &whole);
        let begun = matches!(whole.end, Some(Ok(HandshakeEnd::Transmission(_))));
        prop_assert!(whole.plain.is_some() || !begun);
        // What is asked for in the open gets the same answer, and a client of old none.
        let open = &input[..whole.plain.unwrap_or(input.len())];
        let outcome = negotiate(Handshake::requiring_tls(&exports), open, usize::MAX / 2);
        for (option, kind) in option_replies(&outcome.output).expect("replies to options") {
            let is_allowed = [NBD_OPT_STARTTLS, NBD_OPT_ABORT].contains(&option);
            prop_assert!(is_allowed || kind == NBD_REP_ERR_TLS_REQD, "{} of {}", kind, option);
        }
        // What follows is as without: nothing of what came before it is left.
        if let Some(Ok(HandshakeEnd::Transmission(inside))) = &whole.end {
            let flags = &input[..4];
            let same = [flags, &input[whole.plain.expect("it began")..]].concat();
            let plain = negotiate(Handshake::new(&exports), &same, usize::MAX / 2);
            let expected = HandshakeEnd::Transmission(inside.clone());
            prop_assert_eq!(plain.end, Some(Ok(expected)));
        }
    }

    #[test]
    fn a_negotiation_survives_any_bytes(input in prop::collection::vec(any::<u8>(), 0..300)) {
        let exports = exports();
        negotiate(Handshake::new(&exports), &input, 7);
        let fixed = [&[0, 0, 0, 3], &input[..]].concat();
        negotiate(Handshake::new(&exports), &fixed, 7);
        for code in 0..13 {
            let _ = ClientOption::parse(code, &input);
        }
    }

    #[test]
    fn a_request_reads_as_it_was_written(
        flags: u16, code: u16, cookie: u64, offset_bytes: u64, length_bytes: u32,
    ) {
        let header = RequestHeader { flags, code, cookie, offset_bytes, length_bytes };
        prop_assert_eq!(RequestHeader::decode(&header.encode()), Ok(header));
    }

    #[test]
    fn bytes_are_a_request_only_if_they_write_the_same_again(bytes: [u8; REQUEST_BYTES]) {
        if let Ok(header) = RequestHeader::decode(&bytes) {
            prop_assert_eq!(header.encode(), bytes);
        }
    }

    #[test]
    fn a_request_that_passes_lies_within_the_export(
        flags in 0..64_u16, code in 0..9_u16, cookie: u64,
        offset in prop_oneof![(0..2_100_u64).prop_map(|n| n * 512), any::<u64>()],
        length in prop_oneof![(0..4_000_u32).prop_map(|n| n * 512), any::<u32>()],
        export in 0..2_usize, structured: bool, block_status: bool,
    ) {
        let info = &exports()[export];
        let to = Transmission {
            export,
            size_bytes: info.size_bytes,
            flags: info.flags,
            block_sizes: info.block_sizes,
            structured_replies: structured,
            block_status,
        };
        let header = RequestHeader { flags, code, cookie, offset_bytes: offset, length_bytes: length };
        let inside = u128::from(offset) + u128::from(length) <= u128::from(info.size_bytes);
        match header.check(&to) {
            Ok(command) => {
                prop_assert_eq!(command.code(), code);
                prop_assert!(inside);
                prop_assert!(offset % 512 == 0 && length % 512 == 0);
                prop_assert!(!(command.writes() && export == 1));
            }
            Err(error) => {
                // An error says what is wrong: space lacks only beyond the end, and so on.
                prop_assert!(error != NbdError::NoSpc || !inside);
                prop_assert!(error != NbdError::Perm || export == 1);
            }
        }
    }

    #[test]
    fn replies_read_as_they_were_written(
        structured: bool, cookie: u64, offset: u64, length in 1..u32::MAX - 8, count in 1..20_usize,
    ) {
        let extents = vec![Extent { length_bytes: length, flags: 3 }; count];
        let (status, body) = reply::block_status(cookie, &extents);
        let data = reply::data(structured, cookie, offset, length);
        let done = reply::done(structured, cookie);
        let error = reply::error(structured, cookie, NbdError::Io);
        for (head, follows) in [
            (data, if structured { length as usize } else { 0 }),
            (done, 0),
            (error, 0),
            (status, body.len()),
        ] {
            let bytes = head.as_bytes();
            let (reply, count) = decode(bytes).expect("a reply");
            match reply {
                Reply::Simple { cookie: c, .. } => {
                    prop_assert_eq!((c, count), (cookie, bytes.len()));
                }
                Reply::Chunk { cookie: c, flags, payload_bytes, .. } => {
                    prop_assert_eq!((c, flags), (cookie, 1));
                    prop_assert_eq!(bytes.len() - count + follows, payload_bytes as usize);
                }
            }
        }
    }

    #[test]
    fn a_reply_is_read_from_any_bytes_or_not_at_all(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Some((_, count)) = decode(&bytes) {
            prop_assert!(count <= bytes.len());
        }
    }
}

#[test]
fn old_clients_begin_with_a_name_and_no_more() {
    let exports = exports();
    let name = |name: &[u8]| {
        let header = OptionHeader {
            code: NBD_OPT_EXPORT_NAME,
            length_bytes: name.len() as u32,
        };
        [&header.encode(), name].concat()
    };
    for (flags, zeroes) in [(0_u32, 124), (1, 124), (3, 0)] {
        let input = [&flags.to_be_bytes()[..], &name(b"a")].concat();
        let outcome = negotiate(Handshake::new(&exports), &input, 1);
        let Some(Ok(HandshakeEnd::Transmission(begun))) = outcome.end else {
            panic!("{outcome:?}");
        };
        assert_eq!((begun.export, begun.size_bytes), (1, 1 << 40));
        assert_eq!(outcome.output[..8], (1_u64 << 40).to_be_bytes());
        assert_eq!(outcome.output[8..10], begun.flags.to_be_bytes());
        assert_eq!(outcome.output[10..], vec![0; zeroes]);

        let input = [&flags.to_be_bytes()[..], &name(b"b")].concat();
        let outcome = negotiate(Handshake::new(&exports), &input, 1);
        let missing = Violation::NoSuchExport("b".into());
        assert_eq!(outcome.end, Some(Err(missing)));
    }
    let abort = OptionHeader {
        code: NBD_OPT_ABORT,
        length_bytes: 0,
    };
    let input = [&[0; 4], &abort.encode()[..]].concat();
    let outcome = negotiate(Handshake::new(&exports), &input, 1);
    assert_eq!(outcome.end, Some(Err(Violation::NotFixed(NBD_OPT_ABORT))));
    let input = [&[0, 0, 0, 1], &abort.encode()[..]].concat();
    let outcome = negotiate(Handshake::new(&exports), &input, 1);
    assert_eq!(outcome.end, Some(Ok(HandshakeEnd::Aborted)));
    assert_eq!(
        option_replies(&outcome.output),
        Some(vec![(NBD_OPT_ABORT, 1)])
    );
}

#[test]
fn an_option_follows_one_that_is_too_long() {
    let header = |code, length_bytes| OptionHeader { code, length_bytes }.encode();
    let long = OPTION_BYTES_MAX + 5;
    let input = [
        &[0, 0, 0, 1],
        &header(NBD_OPT_GO, long)[..],
        &vec![0; long as usize],
        &header(NBD_OPT_ABORT, 0),
    ]
    .concat();
    for step in [1_000, input.len()] {
        let outcome = negotiate(Handshake::new(&exports()), &input, step);
        assert_eq!(outcome.end, Some(Ok(HandshakeEnd::Aborted)));
        let refused = (NBD_OPT_GO, NBD_REP_ERR_TOO_BIG);
        let replies = option_replies(&outcome.output);
        assert_eq!(replies, Some(vec![refused, (NBD_OPT_ABORT, 1)]));
    }
}

#[test]
fn block_status_is_of_the_export_it_was_chosen_for() {
    let string = |text: &str| [&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat();
    let option = |code, data: Vec<u8>| {
        let length_bytes = data.len() as u32;
        [&OptionHeader { code, length_bytes }.encode()[..], &data].concat()
    };
    let structured = option(NBD_OPT_STRUCTURED_REPLY, vec![]);
    let choose = |export: &str, query: &str| {
        let data = [string(export), vec![0, 0, 0, 1], string(query)].concat();
        option(NBD_OPT_SET_META_CONTEXT, data)
    };
    let go = |export: &str| option(NBD_OPT_GO, [string(export), vec![0, 0]].concat());
    let chosen = choose("disk", "base:allocation");
    for (options, has_status) in [
        ([&structured, &chosen, &go("disk")], true),
        ([&structured, &chosen, &go("")], true),
        ([&structured, &chosen, &go("a")], false),
        ([&chosen, &structured, &go("disk")], false),
        ([&structured, &choose("disk", "base:"), &go("disk")], false),
        (
            [&structured, &choose("", "base:allocation"), &go("disk")],
            true,
        ),
        ([&structured, &structured, &go("disk")], false),
        (
            [
                &structured,
                &[chosen.clone(), choose("disk", "x:y")].concat(),
                &go("disk"),
            ],
            false,
        ),
        (
            [
                &structured,
                &[chosen.clone(), choose("b", "base:allocation")].concat(),
                &go("disk"),
            ],
            false,
        ),
    ] {
        let options = options.map(Vec::as_slice).concat();
        let input = [&[0, 0, 0, 3], &options[..]].concat();
        match negotiate(Handshake::new(&exports()), &input, 1).end {
            Some(Ok(HandshakeEnd::Transmission(begun))) => {
                assert_eq!(begun.block_status, has_status, "{options:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
