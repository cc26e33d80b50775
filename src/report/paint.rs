//! The colours of the terminal report. Everything is painted always; the stream strips the colours where nobody would
//! see them (no terminal, `NO_COLOR`), so nothing else has to know.

use anstyle::{AnsiColor, Style};

use crate::judge::Standing;

/// What a reader must not overlook.
pub const LOUD: Style = AnsiColor::Red.on_default().bold();

/// What a reader may skip.
pub const QUIET: Style = Style::new().dimmed();

/// Names and headings.
pub const STRONG: Style = Style::new().bold();

/// A text in a style.
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The style of a standing.
pub fn of(standing: Standing) -> Style {
    match standing {
        Standing::Fail => LOUD,
        Standing::Warn => AnsiColor::Yellow.on_default().bold(),
        Standing::NotJudged => AnsiColor::Magenta.on_default().bold(),
        Standing::Pass => AnsiColor::Green.on_default(),
        Standing::Reported => AnsiColor::Cyan.on_default(),
        Standing::Waived => AnsiColor::Blue.on_default(),
        Standing::NotApplicable => QUIET,
    }
}
