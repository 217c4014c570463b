//! The frame of every table: it scrolls sideways in a box of its own, under a name that a screen reader says.

use maud::{Markup, html};

/// Headings of columns of words.
pub fn words<T: AsRef<str>>(names: &[T]) -> Markup {
    html! { @for name in names { th scope="col" { (name.as_ref()) } } }
}

/// Headings of columns of numbers.
pub fn numbers<T: AsRef<str>>(names: &[T]) -> Markup {
    html! { @for name in names { th.num scope="col" { (name.as_ref()) } } }
}

/// A table with a caption, whose id is `id`.
pub fn table(
    id: &str,
    class: Option<&str>,
    caption: &Markup,
    columns: &Markup,
    rows: &Markup,
) -> Markup {
    let caption = html! { caption id=(id) { (caption) } };
    framed(id, class, &caption, columns, rows)
}

/// A table below a heading, whose id is `id`.
pub fn below_heading(id: &str, class: Option<&str>, columns: &Markup, rows: &Markup) -> Markup {
    framed(id, class, &html! {}, columns, rows)
}

fn framed(
    id: &str,
    class: Option<&str>,
    caption: &Markup,
    columns: &Markup,
    rows: &Markup,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(id) {
            table class=[class] {
                (caption)
                thead { tr { (columns) } }
                (rows)
            }
        }
    }
}
