//! An OpenAPI document: its nodes with their places, and what its references lead to. References out of the file are not
//! followed, and one that leads back to itself ends.

use crate::file::{Node, Problem, Problems, Source, read};
use crate::json::Pointer;

/// References that are followed one after the other.
const LONGEST_CHAIN: usize = 16;

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it is from.
    pub source: Source,
    tree: Node,
}

impl Document {
    /// Reads a document of OpenAPI 3.0 or 3.1, in YAML or JSON.
    pub fn read(source: &Source) -> Result<Self, Problems> {
        let tree = read(source)?;
        let refuse = |node: &Node, message: String, label: &str| {
            Err(Problems::new(source, vec![Problem::new(node.head(), message).label(label)]))
        };
        let version = tree.get("openapi");
        match version.and_then(Node::text) {
            Some(text) if text.starts_with("3.0") || text.starts_with("3.1") => {}
            Some(text) => {
                let place = version.unwrap_or(&tree);
                return refuse(place, format!("OpenAPI `{text}` is not known"), "expected 3.0 or 3.1");
            }
            None => {
                let label = match tree.get("swagger") {
                    Some(_) => "this is Swagger 2.0: convert it to OpenAPI 3 first",
                    None => "it has no `openapi: 3.…`",
                };
                return refuse(&tree, "not an OpenAPI document".to_owned(), label);
            }
        }
        match tree.get("paths") {
            Some(paths) if !paths.entries().is_empty() => {}
            Some(paths) => return refuse(paths, "the document has no paths".to_owned(), "expected a map of paths"),
            None => return refuse(&tree, "the document has no paths".to_owned(), "add `paths:`"),
        }
        Ok(Self { source: source.clone(), tree })
    }

    /// The whole of it.
    pub fn tree(&self) -> &Node {
        &self.tree
    }

    /// What a node stands for: itself, or what its `$ref` leads to. None where that leads nowhere, or out of the file.
    pub fn resolved<'d>(&'d self, node: &'d Node) -> Option<&'d Node> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            match node.get("$ref").and_then(Node::text) {
                Some(reference) => node = self.at(reference)?,
                None => return Some(node),
            }
        }
        None
    }

    /// What a field of a node stands for.
    pub fn of<'d>(&'d self, node: &'d Node, field: &str) -> Option<&'d Node> {
        self.resolved(self.resolved(node)?.get(field)?)
    }

    fn at(&self, reference: &str) -> Option<&Node> {
        let pointer: Pointer = decoded(reference.strip_prefix('#')?)?.parse().ok()?;
        pointer.tokens().iter().try_fold(&self.tree, |node, token| {
            let token = token.as_str()?;
            node.get(token).or_else(|| node.items().get(token.parse::<usize>().ok()?))
        })
    }
}

/// `%7B` and the like, as a URI has them.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        match (byte, behind) {
            (b'%', [high, low, ..]) => {
                let digit = |letter: &u8| char::from(*letter).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
