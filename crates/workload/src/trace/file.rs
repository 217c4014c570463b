//! Reads trace files, and works out the counts from what they say.

use super::apportion::apportion;
use super::bursts::Depths;
use super::{Requests, Trace};
use crate::script::ScriptError;
use crate::script::file::{BLOCK_SECTORS_MAX, DEPTH_MAX, REQUESTS_MAX, Text};
use crate::script::quantity::{Sectors, Share};
use crate::script::steps::CLUSTER_SECTORS;
use ftlab_base::SECTOR_BYTES;
use ftlab_base::amount::{decimal, grouped};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Contents of a trace file. Unknown keys are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceFile {
    schema: Spanned<u32>,
    name: String,
    summary: String,
    testbed: String,
    span: Spanned<SpanKeys>,
    reads: Spanned<u64>,
    writes: Spanned<u64>,
    /// Sectors that all writes move together.
    written: Spanned<Sectors>,
    /// Share of the requests that follow the one before.
    sequential: Share,
    /// Sizes with their shares of the requests.
    sizes: Spanned<BTreeMap<String, Share>>,
    /// The sizes of the others, smaller and larger, mixed so that what is written comes out.
    rest: Spanned<[Sectors; 2]>,
    depth: Spanned<DepthKeys>,
    buffer_compress_percentage: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanKeys {
    at: Sectors,
    size: Sectors,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DepthKeys {
    one: Share,
    mean: f64,
    most: u32,
}

impl Trace {
    /// Returns true if a text is a trace rather than a script: it has the key `reads`.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("reads"))
    }

    /// Reads a trace. `file` names it in errors.
    ///
    /// # Errors
    /// When the text is no TOML, a key is unknown or missing, or a value impossible.
    pub fn parse(text: &str, file: &str) -> Result<Trace, ScriptError> {
        let source = Text { file, text };
        let parsed: TraceFile = source.parse()?;
        source.check_schema(&parsed.schema)?;
        // As with scripts, more requests than the limit would take days to simulate.
        for count in [&parsed.reads, &parsed.writes] {
            if !(1..=REQUESTS_MAX).contains(count.get_ref()) {
                let most = grouped(REQUESTS_MAX);
                let why = format!(
                    "{} requests: a trace has 1 to {most} of each direction",
                    grouped(*count.get_ref())
                );
                return Err(source.error(count, why));
            }
        }
        let compress = parsed.buffer_compress_percentage.as_ref();
        if let Some(at) = compress.filter(|percent| *percent.get_ref() > 100) {
            return Err(source.error(at, "buffer_compress_percentage must be 0 to 100"));
        }
        let (reads, writes) = requests(&source, &parsed)?;
        Ok(Trace {
            at: span(&source, &parsed)?.0,
            size: span(&source, &parsed)?.1,
            bursts: bursts(&source, &parsed)?,
            reads,
            writes,
            buffer_compress_percentage: compress.map(|percent| *percent.get_ref()),
            file: file.to_owned(),
            name: parsed.name,
            summary: parsed.summary,
            testbed: parsed.testbed,
        })
    }
}

/// First sector and sectors of the part of the drive that is used.
fn span(source: &Text<'_>, parsed: &TraceFile) -> Result<(u64, u64), ScriptError> {
    let SpanKeys { at, size } = parsed.span.get_ref();
    if at.0 % CLUSTER_SECTORS != 0 || size.0 % CLUSTER_SECTORS != 0 {
        let why = "a span begins and ends at clusters: `at` and `size` must be multiples of 4 KiB";
        return Err(source.error(&parsed.span, why));
    }
    let largest = parsed.rest.get_ref()[1].0;
    if size.0 < 2 * largest {
        let why = "a span has room for the largest request twice, so that requests can jump in it";
        return Err(source.error(&parsed.span, why));
    }
    Ok((at.0, size.0))
}

fn bursts(source: &Text<'_>, parsed: &TraceFile) -> Result<Vec<u64>, ScriptError> {
    let &DepthKeys { one, mean, most } = parsed.depth.get_ref();
    if most > DEPTH_MAX {
        let why = format!("most must be 2 to {DEPTH_MAX}");
        return Err(source.error(&parsed.depth, why));
    }
    if !mean.is_finite() {
        let why = "mean must be a number, such as 4.6";
        return Err(source.error(&parsed.depth, why));
    }
    let depths = Depths {
        one: one.0,
        mean,
        most,
    };
    let operations = parsed.reads.get_ref() + parsed.writes.get_ref();
    let bursts = depths.bursts(operations);
    bursts.map_err(|why| source.error(&parsed.depth, why))
}

/// A size of a request, checked.
fn size(source: &Text<'_>, at: &Spanned<impl Sized>, size: Sectors) -> Result<u32, ScriptError> {
    let is_whole = size.0 > 0 && size.0.is_multiple_of(CLUSTER_SECTORS);
    if !is_whole || size.0 > BLOCK_SECTORS_MAX {
        let why = "sizes of requests are multiples of 4 KiB, at most 16 MiB";
        return Err(source.error(at, why));
    }
    Ok(size.0 as u32)
}

/// The reads and the writes, by size.
fn requests(source: &Text<'_>, parsed: &TraceFile) -> Result<(Requests, Requests), ScriptError> {
    let mut sizes = Vec::new();
    let mut shares = Vec::new();
    for (text, share) in parsed.sizes.get_ref() {
        let read = Sectors::read(text).map_err(|why| source.error(&parsed.sizes, why))?;
        sizes.push(size(source, &parsed.sizes, read)?);
        shares.push(share.0);
    }
    let of_rest = 1.0 - shares.iter().sum::<f64>();
    if of_rest <= 0.0 {
        let why = "the shares are 100 % or more: leave some for the sizes of `rest`";
        return Err(source.error(&parsed.sizes, why));
    }
    shares.push(of_rest);
    let [smaller, larger] = *parsed.rest.get_ref();
    let [smaller, larger] = [
        size(source, &parsed.rest, smaller)?,
        size(source, &parsed.rest, larger)?,
    ];
    if smaller >= larger || sizes.contains(&smaller) || sizes.contains(&larger) {
        let why = "rest are two sizes, the smaller one first, of which none is listed in sizes";
        return Err(source.error(&parsed.rest, why));
    }

    // The writes are mixed so that their amount comes out, and the reads alike.
    let mut writes = apportion(*parsed.writes.get_ref(), &shares);
    let rest = writes.pop().expect("the share of the rest is the last one");
    let sectors = |(&size, &count): (&u32, &u64)| u64::from(size) * count;
    let listed: u64 = sizes.iter().zip(&writes).map(sectors).sum();
    let large = large_ones(parsed.written.get_ref().0, listed, rest, [smaller, larger]);
    let large = large.map_err(|why| source.error(&parsed.written, why))?;
    writes.extend([rest - large, large]);
    let is_large = large as f64 / rest.max(1) as f64;
    shares.pop();
    shares.extend([of_rest * (1.0 - is_large), of_rest * is_large]);
    let reads = apportion(*parsed.reads.get_ref(), &shares);
    sizes.extend([smaller, larger]);

    let side = |counts: Vec<u64>| {
        let mut sizes: Vec<(u32, u64)> = sizes.iter().copied().zip(counts).collect();
        sizes.sort_unstable();
        let count: u64 = sizes.iter().map(|(_, count)| count).sum();
        let sequential = (parsed.sequential.0 * count as f64).round() as u64;
        Requests { sizes, sequential }
    };
    Ok((side(reads), side(writes)))
}

/// Returns the number of `rest` requests that are of the larger size, so that with those `listed` they come nearest to
/// `written` sectors.
fn large_ones(written: u64, listed: u64, rest: u64, sizes: [u32; 2]) -> Result<u64, String> {
    let [smaller, larger] = sizes.map(u64::from);
    let [least, most] = [listed + rest * smaller, listed + rest * larger];
    if !(least..=most).contains(&written) {
        let bytes = |sectors: u64| decimal((sectors * SECTOR_BYTES) as f64, "B");
        return Err(format!(
            "{} cannot be written with these sizes: from {} to {}; change `rest`",
            bytes(written),
            bytes(least),
            bytes(most)
        ));
    }
    let step = larger - smaller;
    Ok(((written - least + step / 2) / step).min(rest))
}
