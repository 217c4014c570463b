//! Prints the JSON Schema of an entry of the shelf:
//! `cargo run -p ftlab-measure --example schema > docs/schema/measured.schema.json`.

fn main() {
    print!("{}", ftlab_measure::shelf::json_schema());
}
