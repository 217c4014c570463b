//! The schema that others read is that of the types.

const COMMITTED: &str = include_str!("../../../docs/schema/card.schema.json");

#[test]
fn the_schema_of_the_docs_is_that_of_the_types() {
    assert!(
        COMMITTED == ftlab_card::json_schema(),
        "cargo run -p ftlab-card --example schema > docs/schema/card.schema.json"
    );
}

#[test]
fn every_field_says_what_it_is() {
    let schema: serde_json::Value = serde_json::from_str(COMMITTED).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().values();
    let mut fields = 0;
    for object in definitions.chain([&schema]) {
        let properties = object["properties"].as_object().into_iter().flatten();
        for (name, property) in properties {
            let words = property["description"].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{name} is not documented");
            fields += 1;
        }
    }
    assert!(fields > 30, "only {fields} fields seen");
}
