//! The frame that every page has: its head, and for a page without contents beside it all around its text.

use super::assets;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The text takes the whole width.
const ALONE: &str = "body { display: block; } main { margin: 0 auto; } ";

/// Tells a browser of every page that it asks for nothing.
pub fn meta() -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta http-equiv="Content-Security-Policy" content=(assets::CONTENT_SECURITY_POLICY);
    }
}

/// The title of a page and its styles, with those that it has beside all others'.
pub fn look(title: &str, style: &str) -> Markup {
    html! {
        // An empty icon, so that no browser asks for one.
        link rel="icon" href="data:,";
        title { (title) }
        style { (PreEscaped(assets::style())) (PreEscaped(style)) }
    }
}

/// A page without a script.
pub fn alone(title: &str, style: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { (meta()) (look(title, &format!("{ALONE}{style}"))) }
            body { main #content { (content) } }
        }
    };
    page.into_string()
}
