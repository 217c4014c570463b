//! What drawn charts look like.

use plotters::style::{RGBColor, WHITE};

/// The colours of Okabe and Ito, which the colour-blind can tell apart, without the light ones.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(60, 60, 60),
    RGBColor(160, 110, 0),
];
/// Dark on white, whatever the colours of the page around it.
pub const PAPER: RGBColor = WHITE;
pub const GRID: RGBColor = RGBColor(225, 225, 225);
