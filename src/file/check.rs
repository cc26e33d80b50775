//! Holds a tree against its declared shape and notes everything that is wrong.
//!
//! Never stops at the first problem and never changes the tree.

use crate::file::nearest::nearest;
use crate::file::node::{Kind, Node, quoted};
use crate::file::path::Path;
use crate::file::problem::Problem;
use crate::file::scalar;
use crate::file::shape::{Field, Record, Shape, one_of};

/// Notes every problem of `node`, which stands at `path` in its file (empty for the whole file).
pub fn check(node: &Node, shape: &Shape, path: &str, problems: &mut Vec<Problem>) {
    visit(node, shape, &Path::Start(path), problems);
}

fn visit(node: &Node, shape: &Shape, path: &Path<'_>, problems: &mut Vec<Problem>) {
    if !shape.fits(node) || (node.is_null() && !shape.takes_null()) {
        problems.push(wrong_kind(node, shape).at(path));
        return;
    }
    match shape {
        Shape::Json => {}
        Shape::Text | Shape::Word(_) | Shape::Flag | Shape::Count | Shape::Pattern { .. } => {
            let wrong = node.scalar().and_then(|scalar| scalar::wrong(node, scalar, shape));
            problems.extend(wrong.map(|problem| problem.at(path)));
        }
        Shape::List(inner) => items(node, inner, path, problems),
        Shape::OneOrMany(inner) => match node.kind {
            Kind::List(_) => items(node, inner, path, problems),
            Kind::Scalar(_) | Kind::Map(_) => visit(node, inner, path, problems),
        },
        Shape::Map { values, .. } => {
            for entry in node.entries() {
                let key = entry.key.text().unwrap_or_default();
                visit(&entry.value, values, &Path::Key(path, key), problems);
            }
        }
        Shape::Record(record) => fields(node, record, path, problems),
        Shape::Either(shapes) => {
            if let Some(shape) = shapes.iter().find(|shape| shape.fits(node)) {
                visit(node, shape, path, problems);
            }
        }
    }
}

fn items(node: &Node, inner: &Shape, path: &Path<'_>, problems: &mut Vec<Problem>) {
    for (index, item) in node.items().iter().enumerate() {
        visit(item, inner, &Path::Item(path, index), problems);
    }
}

fn fields(node: &Node, record: &Record, path: &Path<'_>, problems: &mut Vec<Problem>) {
    let absent: Vec<&Field> = record.fields.iter().filter(|field| node.get(field.name).is_none()).collect();
    let mut misspelt = Vec::new();
    for entry in node.entries() {
        let key = entry.key.text().unwrap_or_default();
        if let Some(field) = record.field(key) {
            visit(&entry.value, &field.shape, &Path::Key(path, key), problems);
            continue;
        }
        // A field that is already there cannot be the one that was meant.
        let meant = nearest(key, absent.iter().map(|field| field.name));
        misspelt.extend(meant);
        problems.push(unknown_field(&entry.key, key, record, meant).at(path));
    }
    // One slip is one problem: a field that stands there misspelt is not missing as well.
    let missing = absent.iter().filter(|field| field.required && !misspelt.contains(&field.name));
    for field in missing {
        let problem = Problem::new(node.head(), format!("missing field `{}`", field.name))
            .label(format!("this {} has no `{}`", record.name, field.name))
            .help(format!("`{}`: {}", field.name, field.doc));
        problems.push(problem.at(path));
    }
}

fn unknown_field(place: &Node, key: &str, record: &Record, meant: Option<&str>) -> Problem {
    let problem = Problem::new(place.span, format!("unknown field {}", quoted(key)));
    match meant {
        Some(meant) => problem.label(format!("did you mean `{meant}`?")),
        None => {
            let known = one_of(record.fields.iter().map(|field| field.name));
            let problem = problem.label(format!("not a field of this {}", record.name));
            problem.help(format!("expected {known}"))
        }
    }
}

fn wrong_kind(node: &Node, shape: &Shape) -> Problem {
    let problem =
        Problem::new(node.head(), format!("expected {}", shape.expected())).label(format!("found {}", node.describe()));
    match shape {
        Shape::Record(record) => {
            let known: Vec<String> = record.fields.iter().map(|field| quoted(field.name)).collect();
            problem.help(format!("the fields of {} are {}", record.name, known.join(", ")))
        }
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::read::read_as;
    use crate::file::source::Source;

    static SCENARIO: Record = Record::new(
        "scenario",
        "A story of requests.",
        &[
            Field::required("title", "what it shows", Shape::Text),
            Field::required("steps", "what happens, in order", Shape::List(&Shape::Record(&STEP))),
            Field::optional("keyed", "whether keys are sent", Shape::Flag),
        ],
    );

    static STEP: Record = Record::new(
        "step",
        "One request and what follows.",
        &[
            Field::required("send", "the request", Shape::Either(&[Shape::Text, Shape::Record(&REQUEST)])),
            Field::optional("fault", "what breaks", Shape::Word(&["drop_response", "reset"])),
            Field::optional("times", "how often", Shape::Count),
            Field::optional("wait", "how long before", WAIT),
            Field::optional("then", "steps inside this one", Shape::OneOrMany(&Shape::Record(&STEP))),
        ],
    );

    static REQUEST: Record = Record::new(
        "request",
        "A request.",
        &[Field::optional("headers", "more headers", HEADERS), Field::optional("body", "the body", Shape::Json)],
    );

    const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::OneOrMany(&Shape::Text) };

    const WAIT: Shape = Shape::Pattern {
        says: "a duration, such as 250ms",
        regex_for_schema: "^[0-9]+ms$",
        accepts: |text| match text.strip_suffix("ms").map(str::parse::<u32>) {
            Some(Ok(_)) => Ok(()),
            Some(Err(_)) | None => Err(format!("{} is not a duration", quoted(text))),
        },
    };

    fn told(text: &str) -> String {
        let source = Source::new("a.yaml", text);
        let read = read_as(&source, &Shape::Record(&SCENARIO));
        read.map_or_else(|problems| format!("\n{problems}\n"), |_| "fine".to_owned())
    }

    /// The problem of one step, without its frame: message, the text under the caret, label, path.
    fn step(text: &str) -> (String, String, String, String) {
        let source = Source::new("a.yaml", format!("title: t\nsteps:\n  - {{ {text} }}\n"));
        let mut problems = read_as(&source, &Shape::Record(&SCENARIO)).unwrap_err();
        let problem = problems.list.remove(0);
        assert!(problems.list.is_empty(), "{problems}");
        let under = source.text[problem.span.start..problem.span.end].to_owned();
        (problem.message, under, problem.label, problem.path)
    }

    #[track_caller]
    fn assert_step(text: &str, message: &str, under: &str, label: &str, path: &str) {
        let expected = (message.to_owned(), under.to_owned(), label.to_owned(), path.to_owned());
        assert_eq!(step(text), expected);
    }

    #[test]
    fn a_file_as_declared_is_fine() {
        let text = "title: 1.00\nkeyed: true\nsteps:\n  - send: GET /\n    times: 3\n    wait: 5ms\n  \
                    - send: {headers: {a: b, c: [d, 5]}, body: [null, {x: {}}]}\n    then: {send: x, then: [{send: y}]}\n";
        assert_eq!(told(text), "fine");
    }

    #[test]
    fn every_problem_of_a_file_is_told_in_order_each_under_its_caret() {
        let text = "# Übung\ntitel: ü\nsteps:\n  - send: { heders: {} }\n    times: \"two\"\n  - sent: x\n    times: 1\n    times: 2\n";
        assert_eq!(
            told(text),
            r#"
error: unknown field `titel`
 --> a.yaml:2:1
  |
2 | titel: ü
  | ^^^^^ did you mean `title`?

error: unknown field `heders`
 --> a.yaml:4:13
  |
4 |   - send: { heders: {} }
  |             ^^^^^^ did you mean `headers`?
  |
  = note: at steps[0].send

error: expected a whole number, 0 or more
 --> a.yaml:5:12
  |
5 |     times: "two"
  |            ^^^^^ found the text `two`
  |
  = note: at steps[0].times

error: unknown field `sent`
 --> a.yaml:6:5
  |
6 |   - sent: x
  |     ^^^^ did you mean `send`?
  |
  = note: at steps[1]

error: the key `times` stands twice in this map
 --> a.yaml:8:5
  |
8 |     times: 2
  |     ^^^^^ first set on line 7
  |
  = note: at steps[1]
"#
        );
    }

    #[test]
    fn a_missing_field_points_at_the_map_that_lacks_it() {
        assert_eq!(
            told("keyed: no\nsteps: [{}]\n"),
            r#"
error: missing field `title`
 --> a.yaml:1:1
  |
1 | keyed: no
  | ^^^^^ this scenario has no `title`
  |
  = help: `title`: what it shows

error: expected `true` or `false`
 --> a.yaml:1:8
  |
1 | keyed: no
  |        ^^ write `false`
  |
  = note: at keyed

error: missing field `send`
 --> a.yaml:2:9
  |
2 | steps: [{}]
  |         ^^ this step has no `send`
  |
  = note: at steps[0]
  = help: `send`: the request
"#
        );
    }

    #[test]
    fn a_stranger_among_the_fields_is_told_the_known_ones() {
        assert_eq!(
            told("title: x\nsteps: []\ncolour: red\n"),
            r#"
error: unknown field `colour`
 --> a.yaml:3:1
  |
3 | colour: red
  | ^^^^^^ not a field of this scenario
  |
  = help: expected one of `title`, `steps` and `keyed`
"#
        );
    }

    #[test]
    fn a_wrong_kind_says_what_was_expected_and_what_was_found() {
        let number = "expected a whole number, 0 or more";
        assert_step("send: [x]", "expected text, or a map (request)", "[x]", "found a list", "steps[0].send");
        assert_step("send: ", "expected text, or a map (request)", "send", "found nothing", "steps[0].send");
        assert_step("send: x, times: \"5\"", number, "\"5\"", "remove the quotes", "steps[0].times");
        assert_step("send: x, times: 007", number, "007", "write `7`", "steps[0].times");
        assert_step("send: x, times: -1", number, "-1", "found the text `-1`", "steps[0].times");
        let (text, path) = ("expected text, or a list of such", "steps[0].send.headers[\"a.b\"]");
        assert_step("send: {headers: {a.b: {}}}", text, "{}", "found a map", path);
        assert!(told("- x\n").contains("expected a map (scenario)\n"));
    }

    #[test]
    fn one_wrong_anchor_is_one_problem_however_often_it_is_used() {
        let text = "title: x\nsteps:\n  - &a {sent: x}\n  - *a\n  - {send: y, then: *a}\n";
        assert_eq!(told(text).matches("unknown field").count(), 1);
    }

    #[test]
    fn very_many_problems_cost_little_time() {
        let began = std::time::Instant::now();
        let text = format!("title: é\nsteps: [{}]\n", "{sent: 1, x: 2}, ".repeat(10_000));
        assert!(told(&text).contains("19800 more problems are not shown"));
        assert!(told(&"x: 1\n".repeat(50_000)).contains("stands twice"));
        assert!(began.elapsed() < std::time::Duration::from_secs(10));
    }
}
