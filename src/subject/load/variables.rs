//! Fills `${NAME}` from the environment. What a variable holds goes into values and never into a message: messages show
//! what the file says.

use crate::file::{Node, Reading};

/// Looks a variable of the environment up.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The text of a node with its variables filled; `$${` stands for `${`. None where one is missing, which is told.
pub fn filled(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<String> {
    let mut filled = Some(String::new());
    let mut rest = node.text()?;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        if let Some(kept) = before.strip_suffix('$') {
            push(&mut filled, Some(&format!("{kept}${{")));
            rest = &after["${".len()..];
            continue;
        }
        push(&mut filled, Some(before));
        let Some(end) = after.find('}') else {
            reading.wrong(
                reading.part(node, after),
                "`${` without `}`",
                "close it, or write `$${` for the text itself",
            );
            return None;
        };
        let (variable, behind) = after.split_at(end + 1);
        let name = &variable["${".len()..end];
        let value = (environment)(name);
        if value.is_none() {
            let label = format!("set it: `export {name}=…`");
            reading.wrong(reading.part(node, variable), format!("the variable `{name}` is not set"), label);
        }
        push(&mut filled, value.as_deref());
        rest = behind;
    }
    push(&mut filled, Some(rest));
    filled
}

fn push(filled: &mut Option<String>, part: Option<&str>) {
    *filled = filled.take().zip(part).map(|(filled, part)| filled + part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Shape, Source};

    fn check(text: &str, expected: Option<&str>) {
        let source = Source::new("a.yaml", format!("- '{text}'\n"));
        let (tree, mut reading) = Reading::open(&source, &Shape::List(&Shape::Text)).expect("a tree");
        let environment = |name: &str| (name == "KEY").then(|| "s3cret".to_owned());
        assert_eq!(filled(&tree.items()[0], &environment, &mut reading).as_deref(), expected, "{text}");
        assert_eq!(reading.close(()).is_ok(), expected.is_some(), "{text}");
    }

    #[test]
    fn variables_are_filled_and_escaped_ones_kept() {
        check("Bearer ${KEY}", Some("Bearer s3cret"));
        check("${KEY}${KEY}", Some("s3crets3cret"));
        check("a $${KEY} $b $ $$ {c}", Some("a ${KEY} $b $ $$ {c}"));
        check("$${${KEY}}", Some("${s3cret}"));
    }

    #[test]
    fn what_is_missing_or_open_gives_no_text() {
        check("Bearer ${NO_KEY}", None);
        check("Bearer ${KEY", None);
    }
}
