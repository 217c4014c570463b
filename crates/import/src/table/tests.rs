use super::*;
use crate::Text;

/// Every table, with the numbers that its module names for it.
const TABLES: [(&str, &[&str]); 7] = [
    (include_str!("../../tables/femu.toml"), &[]),
    (include_str!("../../tables/mqsim.toml"), &[]),
    (
        include_str!("../../tables/mqsim-synthetic.toml"),
        &["index", "flows"],
    ),
    (include_str!("../../tables/mqsim-trace.toml"), &["flows"]),
    (include_str!("../../tables/nvmevirt.toml"), &["capacity"]),
    (
        include_str!("../../tables/simplessd.toml"),
        &["superblock", "all_channels", "all_packages", "all_dies"],
    ),
    (include_str!("../../tables/simplessd-generator.toml"), &[]),
];

/// A row whose condition seldom holds is wrong where nobody looks.
#[test]
fn every_row_of_every_table_can_be_worked_out() {
    for (text, named) in TABLES {
        let table = Table::of(text);
        let file = Text {
            name: "file",
            text: "",
        };
        let mut said = Settings::new(&file, &table.program);
        let in_units = table.sizes.iter().chain(&table.times);
        let needed = table.needed.iter().chain(&table.needed_counts);
        let numbers = table.numbers.keys().chain(table.counts.keys());
        for key in in_units.chain(needed).chain(numbers) {
            said.push(key, "1", 1);
        }
        let one = |name: &&str| ((*name).to_owned(), Known::of(1.0, String::new()));
        let mut reader = Reader {
            table: &table,
            said: &mut said,
            named: named.iter().map(one).collect(),
            sum: Known::default(),
        };
        let mut draft = Draft::new("", "");
        for row in &table.table.rows {
            reader.holds(row.when.as_deref().unwrap_or("1")).unwrap();
            match &row.step {
                Step::Refuse { why, .. } => {
                    reader.text(why).unwrap();
                }
                step => reader.step(step, &mut draft, &mut String::new()).unwrap(),
            }
        }
    }
}

#[test]
fn a_table_with_an_unknown_name_is_told_so() {
    let mut said = Settings::new(
        &Text {
            name: "f",
            text: "",
        },
        "X",
    );
    let row = "program = \"X\"\n[table]\nrows = [{ key = \"a.b\", is = \"colour + 1\" }]";
    let applied = Table::of(row).apply(&mut said, &mut Draft::new("X", "f"), BTreeMap::new());
    assert!(applied.unwrap_err().to_string().contains("`colour`"));
}
