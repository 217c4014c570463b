//! A table, column by column.

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What it holds, for a file's name.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its heading; a unit stands last in it.
    pub name: String,
    /// What it holds.
    pub cells: Cells,
}

/// The cells of a column, all of one kind; `None` where there is nothing to say.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Words.
    Text(Vec<Option<String>>),
    /// Counts.
    Whole(Vec<Option<u64>>),
    /// Measures.
    Number(Vec<Option<f64>>),
}

impl Cells {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Whole(cells) => cells.len(),
            Cells::Number(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Cells> {
        let column = self.columns.iter().find(|column| column.name == name);
        column.map(|column| &column.cells)
    }
}

/// Makes the columns of a table from its rows.
pub(crate) struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    pub fn of(rows: &'a [R]) -> Self {
        Columns {
            rows,
            columns: Vec::new(),
        }
    }

    /// Words; none for an empty one.
    pub fn text(&mut self, name: &str, word: impl for<'r> Fn(&'r R) -> &'r str) {
        let cell = |row: &R| Some(word(row).to_owned()).filter(|word| !word.is_empty());
        self.add(name, Cells::Text(self.rows.iter().map(cell).collect()));
    }

    /// Words that some rows do not have.
    pub fn words(&mut self, name: &str, word: impl Fn(&R) -> Option<String>) {
        self.add(name, Cells::Text(self.rows.iter().map(word).collect()));
    }

    pub fn whole(&mut self, name: &str, count: impl Fn(&R) -> Option<u64>) {
        self.add(name, Cells::Whole(self.rows.iter().map(count).collect()));
    }

    pub fn number(&mut self, name: &str, measure: impl Fn(&R) -> Option<f64>) {
        self.add(name, Cells::Number(self.rows.iter().map(measure).collect()));
    }

    fn add(&mut self, name: &str, cells: Cells) {
        self.columns.push(Column {
            name: name.to_owned(),
            cells,
        });
    }

    pub fn table(self, name: &'static str) -> Table {
        Table {
            name,
            columns: self.columns,
        }
    }
}
