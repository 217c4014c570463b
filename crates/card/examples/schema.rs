//! Prints the JSON Schema of `ftlab card --for json`:
//! `cargo run -p ftlab-card --example schema > docs/schema/card.schema.json`.

fn main() {
    print!("{}", ftlab_card::json_schema());
}
