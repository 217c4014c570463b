//! The page's own files and its libraries, taken in when the crate is built.

/// Apache ECharts, cut to what the page draws, and what unpacks its data, with their licences; made by `web/bundle.mjs`.
pub const LIBRARIES: &str = include_str!("../../web/dist/libraries.js");

/// Forbids every request; data links carry the empty icon and saved tables.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
     script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Applies a stored theme before anything is drawn.
pub const THEME_EARLY: &str = include_str!("../../web/src/theme-early.js");

const STYLES: [&str; 7] = [
    include_str!("../../web/src/tokens.css"),
    include_str!("../../web/src/layout.css"),
    include_str!("../../web/src/navigation.css"),
    include_str!("../../web/src/content.css"),
    include_str!("../../web/src/front.css"),
    include_str!("../../web/src/charts.css"),
    include_str!("../../web/src/print.css"),
];

const SCRIPTS: [&str; 19] = [
    include_str!("../../web/src/format.js"),
    include_str!("../../web/src/look.js"),
    include_str!("../../web/src/model.js"),
    include_str!("../../web/src/scroll-hint.js"),
    include_str!("../../web/src/table.js"),
    include_str!("../../web/src/whiskers.js"),
    include_str!("../../web/src/plot-bars.js"),
    include_str!("../../web/src/plot-lines.js"),
    include_str!("../../web/src/plot-verdicts.js"),
    include_str!("../../web/src/plot-course.js"),
    include_str!("../../web/src/plot-panels.js"),
    include_str!("../../web/src/plot-percentiles.js"),
    include_str!("../../web/src/plot-fill.js"),
    include_str!("../../web/src/plot-warmth.js"),
    include_str!("../../web/src/plot-pts.js"),
    include_str!("../../web/src/picker.js"),
    include_str!("../../web/src/charts.js"),
    include_str!("../../web/src/runs.js"),
    include_str!("../../web/src/page.js"),
];

/// All styles, in cascade order.
pub fn style() -> String {
    STYLES.concat()
}

/// All scripts in one scope of their own; each file only declares functions but the last.
pub fn script() -> String {
    let scripts = SCRIPTS.concat();
    format!(
        "(() => {{\n'use strict';\nconst {{ echarts, inflateSync, strFromU8 }} = libraries;\n{scripts}}})();\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_ends_its_own_element() {
        for script in [LIBRARIES, THEME_EARLY, &script()] {
            let lower = script.to_ascii_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("<!--"));
        }
    }
}
