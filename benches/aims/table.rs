//! Figures beside their aims, as a table. Nothing here decides what an aim is.

use std::ops::Range;

use tabled::builder::Builder;
use tabled::settings::{Alignment, Style, object::Columns};

/// One figure.
pub struct Figure {
    /// Of what.
    pub what: String,
    /// How much.
    pub value: f64,
    /// Of which unit.
    pub unit: &'static str,
    /// Where it should lie; none: it is there to compare others with.
    pub aim: Option<Range<f64>>,
}

/// Prints figures under a title.
pub fn show(title: &str, figures: &[Figure]) {
    let mut rows = Builder::default();
    rows.push_record([title, "measured", "", "aim", ""]);
    for figure in figures {
        let aim = figure.aim.as_ref().map(words).unwrap_or_default();
        let met = match figure.aim.as_ref().map(|aim| aim.contains(&figure.value)) {
            None => "",
            Some(true) => "met",
            Some(false) => "MISSED",
        };
        rows.push_record([figure.what.as_str(), &short(figure.value), figure.unit, &aim, met]);
    }
    let mut table = rows.build();
    table.with(Style::psql()).modify(Columns::one(1), Alignment::right());
    println!("\n{table}\n");
}

fn words(aim: &Range<f64>) -> String {
    if aim.end == f64::INFINITY {
        format!("at least {}", short(aim.start))
    } else {
        format!("under {}", short(aim.end))
    }
}

/// Three digits are all that a shared machine can tell.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
