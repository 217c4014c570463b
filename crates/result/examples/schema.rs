//! Prints the JSON Schema of `results.json`:
//! `cargo run -p ftlab-result --example schema > docs/schema/results.schema.json`.

fn main() {
    print!("{}", ftlab_result::json_schema());
}
