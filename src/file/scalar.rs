//! Whether a scalar is what its shape asks for, and if not, the nearest thing that would be.
//!
//! Never looks at lists and maps: those are right or wrong by their parts.

use crate::file::nearest::nearest;
use crate::file::node::{Node, Scalar};
use crate::file::problem::Problem;
use crate::file::shape::Shape;

/// What is wrong with a scalar that is not null, if anything.
pub fn wrong(node: &Node, scalar: &Scalar, shape: &Shape) -> Option<Problem> {
    let text = scalar.text.as_str();
    let label = match shape {
        Shape::Word(words) if words.contains(&text) => return None,
        Shape::Word(words) => match nearest(text, words.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("found {}", node.describe()),
        },
        Shape::Flag | Shape::Count if !scalar.plain && is_unquoted(text, shape) => "remove the quotes".to_owned(),
        Shape::Flag | Shape::Count if is_unquoted(text, shape) => return None,
        Shape::Flag => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => "write `true`".to_owned(),
            "false" | "no" | "off" => "write `false`".to_owned(),
            _ => format!("found {}", node.describe()),
        },
        Shape::Count => {
            unpadded(text).map_or_else(|| format!("found {}", node.describe()), |digits| format!("write `{digits}`"))
        }
        Shape::Pattern { says, accepts, .. } => match accepts(text) {
            Ok(()) => return None,
            Err(message) => {
                return Some(Problem::new(node.span, message).label(format!("expected {says}")));
            }
        },
        Shape::Text
        | Shape::Json
        | Shape::List(_)
        | Shape::OneOrMany(_)
        | Shape::Map { .. }
        | Shape::Record(_)
        | Shape::Either(_) => return None,
    };
    Some(Problem::new(node.span, format!("expected {}", shape.expected())).label(label))
}

/// `007` as `7`, when that alone keeps it from being a count.
fn unpadded(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    (digits != text && text.starts_with('0') && is_unquoted(digits, &Shape::Count)).then_some(digits)
}

/// Whether the text, if unquoted, is a flag or a count. `007` is neither: some readers take it for octal.
fn is_unquoted(text: &str, shape: &Shape) -> bool {
    if matches!(shape, Shape::Flag) {
        return matches!(text, "true" | "false");
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let padded = text.len() > 1 && text.starts_with('0');
    digits && !padded && text.parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::node::{Kind, Span};

    /// The problem of this scalar as `message / label`, or `fine`.
    fn told(shape: Shape, text: &str, plain: bool) -> String {
        let text = text.to_owned();
        let scalar = Scalar { text, plain };
        let (span, kind) = (Span::default(), Kind::Scalar(scalar.clone()));
        let problem = wrong(&Node { span, kind }, &scalar, &shape);
        problem.map_or_else(|| "fine".to_owned(), |problem| format!("{} / {}", problem.message, problem.label))
    }

    #[test]
    fn a_wrong_word_finds_the_nearest_or_is_named() {
        const FAULT: Shape = Shape::Word(&["drop_response", "reset"]);
        const EXPECTED: &str = "expected `drop_response` or `reset`";
        assert_eq!(told(FAULT, "reset", false), "fine");
        assert_eq!(told(FAULT, "drop_respons", true), format!("{EXPECTED} / did you mean `drop_response`?"));
        assert_eq!(told(FAULT, "fire", true), format!("{EXPECTED} / found the text `fire`"));
    }

    #[test]
    fn a_flag_is_true_or_false_and_nothing_like_it() {
        assert_eq!(told(Shape::Flag, "false", true), "fine");
        for (text, plain, label) in [
            ("yes", true, "write `true`"),
            ("False", true, "write `false`"),
            ("true", false, "remove the quotes"),
            ("1", true, "found the text `1`"),
        ] {
            assert_eq!(told(Shape::Flag, text, plain), format!("expected `true` or `false` / {label}"));
        }
    }

    #[test]
    fn a_count_is_plain_digits_that_nobody_takes_for_octal() {
        assert_eq!(told(Shape::Count, "0", true), "fine");
        assert_eq!(told(Shape::Count, "18446744073709551615", true), "fine");
        for (text, plain, label) in [
            ("007", true, "write `7`"),
            ("00", true, "write `0`"),
            ("5", false, "remove the quotes"),
            ("1.0", true, "found the text `1.0`"),
            ("18446744073709551616", true, "found the text `18446744073709551616`"),
        ] {
            let expected = format!("expected a whole number, 0 or more / {label}");
            assert_eq!(told(Shape::Count, text, plain), expected);
        }
    }

    #[test]
    fn a_pattern_speaks_for_itself() {
        let even = Shape::Pattern {
            says: "a text of even length",
            regex_for_schema: "^(..)*$",
            accepts: |text| {
                if text.len() % 2 == 0 { Ok(()) } else { Err(format!("{text} is odd")) }
            },
        };
        assert_eq!(told(even, "ab", true), "fine");
        assert_eq!(told(even, "abc", true), "abc is odd / expected a text of even length");
    }
}
