//! Where in the tree one stands, as `when[0].send`.
//!
//! A step only borrows the one before it: nothing is copied until a problem has to be told, so that long keys
//! and wide maps cost nothing while the file is right.

use crate::file::node::quoted;

#[derive(Clone, Copy)]
pub enum Path<'a> {
    Start(&'a str),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(text) => out.write_str(text),
            Self::Key(before, key) => {
                let before = before.to_string();
                write!(out, "{before}{}", key_step(key, before.is_empty()))
            }
            Self::Item(before, index) => write!(out, "{before}{}", item_step(*index)),
        }
    }
}

/// `.send`, or `["content type"]` for a key that would blur the path; the first step has no dot.
pub fn key_step(key: &str, first: bool) -> String {
    let simple = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    if key.is_empty() || key.chars().count() > 40 || !key.chars().all(simple) {
        let quoted = quoted(key);
        return format!("[\"{}\"]", quoted.trim_matches('`'));
    }
    format!("{}{key}", if first { "" } else { "." })
}

pub fn item_step(index: usize) -> String {
    format!("[{index}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_the_file() {
        let root = Path::Start("");
        let when = Path::Key(&root, "when");
        let first = Path::Item(&when, 0);
        assert_eq!(Path::Key(&first, "send").to_string(), "when[0].send");
    }

    #[test]
    fn a_key_with_a_dot_cannot_be_taken_for_two() {
        assert_eq!(Path::Key(&Path::Start("a"), "b.c").to_string(), "a[\"b.c\"]");
    }
}
