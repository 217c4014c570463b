//! `json`: a table of figures by size, depth, mix and order, in which other programs look up.

use crate::figures::{Figures, Latency, Row, Source};
use crate::load::{Grid, Load, Pattern};
use crate::off::{Off, Predicted, off};
use crate::{CardError, Drawn, Form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const FORM: Form = Form {
    loads: |grid| [grid.loads(), grid.checks()].concat(),
    draw,
};

/// Version of the table's shape.
pub const SCHEMA: u32 = 1;

/// A drive as a table: what the model gives under each load of a grid, and how far interpolation between its rows is off.
///
/// Between rows, logarithms are interpolated: the logarithm of a figure is linear in the logarithm of the size, in that of
/// the depth, and in the share of reads. A load beyond the grid's edge takes the figures of the edge. A row without requests in
/// a direction does not count for latencies of that direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// Version of this shape.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: u32,
    /// Where the figures come from.
    pub source: Source,
    /// The sizes, depths and mixes that the rows have, each ascending. There is a row of every combination, in both orders.
    pub grid: Grid,
    /// A row of each load: by order, then by size, depth and mix, as they stand in the grid.
    pub rows: Vec<Row>,
    /// How far interpolation is off, at loads in the middle between the rows.
    pub off: Vec<Off>,
}

/// The JSON Schema of a table, with a line feed behind it; `docs/schema/card.schema.json` holds it.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = schemars::schema_for!(Table);
    schema.insert("title".to_owned(), "a drive card of ftlab".into());
    let text = serde_json::to_string_pretty(&schema);
    text.expect("a schema is JSON") + "\n"
}

impl Table {
    /// What the table says of a load, by interpolation.
    ///
    /// # Panics
    /// If it lacks a row of its grid.
    #[must_use]
    pub fn at(&self, load: Load) -> Predicted {
        let Grid {
            sizes_bytes,
            depths,
            reads_pct,
        } = &self.grid;
        let logs = |axis: Vec<f64>, at: f64| {
            let axis: Vec<f64> = axis.into_iter().map(f64::ln).collect();
            ends(&axis, at.ln())
        };
        let sizes = logs(
            sizes_bytes.iter().map(|&size| size as f64).collect(),
            load.size_bytes as f64,
        );
        let depths = logs(
            depths.iter().map(|&depth| f64::from(depth)).collect(),
            f64::from(load.depth),
        );
        let reads: Vec<f64> = reads_pct.iter().map(|&read| f64::from(read)).collect();
        let reads = ends(&reads, f64::from(load.read_pct));
        let mut corners = Vec::new();
        for (size, of_size) in sizes {
            for (depth, of_depth) in depths {
                for (read, of_read) in reads {
                    let row = self.row(load.pattern, [size, depth, read]);
                    corners.push((row, of_size * of_depth * of_read));
                }
            }
        }
        let figure = |of: &dyn Fn(&Row) -> Option<f64>| mean_of_logs(&corners, of);
        let latency = |of: &dyn Fn(&Row) -> Option<Latency>| {
            let mean = figure(&|row| of(row).map(|latency| latency.mean_us))?;
            let p99 = figure(&|row| of(row).and_then(|latency| latency.p99_us));
            Some([mean, p99.unwrap_or(f64::NAN)])
        };
        Predicted {
            iops: figure(&|row| Some(row.iops)).unwrap_or(0.0),
            read_us: latency(&|row| row.read),
            write_us: latency(&|row| row.write),
        }
    }

    fn row(&self, pattern: Pattern, [size, depth, read]: [usize; 3]) -> &Row {
        let (depths, reads) = (self.grid.depths.len(), self.grid.reads_pct.len());
        let half = self.grid.sizes_bytes.len() * depths * reads;
        let first = match pattern {
            Pattern::Random => 0,
            Pattern::Sequential => half,
        };
        &self.rows[first + (size * depths + depth) * reads + read]
    }
}

/// The points of an axis on both sides of a value, and the weight of each; at its edge twice the same.
fn ends(axis: &[f64], at: f64) -> [(usize, f64); 2] {
    let above = axis.partition_point(|&point| point < at);
    let (low, high) = match above {
        0 => (0, 0),
        n if n == axis.len() => (n - 1, n - 1),
        n => (n - 1, n),
    };
    let width = axis[high] - axis[low];
    let share = match width > 0.0 {
        true => (at - axis[low]) / width,
        false => 0.0,
    };
    [(low, 1.0 - share), (high, share)]
}

/// The weighted mean of a figure's logarithms over the rows that have it.
fn mean_of_logs(corners: &[(&Row, f64)], of: &dyn Fn(&Row) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (row, weight) in corners.iter().filter(|(_, weight)| *weight > 0.0) {
        if let Some(figure) = of(row).filter(|figure| *figure > 0.0) {
            sum += weight * figure.ln();
            weights += weight;
        }
    }
    (weights > 0.0).then(|| (sum / weights).exp())
}

fn draw(figures: &Figures<'_>) -> Result<Drawn, CardError> {
    let rows = figures.rows_of(&figures.grid.loads());
    let mut table = Table {
        schema: SCHEMA,
        source: figures.source.clone(),
        grid: figures.grid.clone(),
        rows: rows.into_iter().cloned().collect(),
        off: Vec::new(),
    };
    let checks = figures.rows_of(&figures.grid.checks());
    table.off = off(&checks, "the loads between its rows", |row| {
        table.at(row.load)
    });
    Ok(Drawn {
        name: format!("{}.json", figures.source.drive),
        text: text(&table),
        off: table.off,
    })
}

/// The table as JSON with each row on a line of its own.
fn text(table: &Table) -> String {
    let json = |value: serde_json::Result<String>| value.expect("a table is JSON");
    let rows: Vec<String> = table
        .rows
        .iter()
        .map(|row| json(serde_json::to_string(row)))
        .collect();
    let without = Table {
        rows: Vec::new(),
        ..table.clone()
    };
    let text = json(serde_json::to_string_pretty(&without));
    let rows = format!("\"rows\": [\n    {}\n  ]", rows.join(",\n    "));
    text.replacen("\"rows\": []", &rows, 1) + "\n"
}
