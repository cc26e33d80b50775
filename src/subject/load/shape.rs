//! The shape of a subject file: the one table that checks it and that prints its JSON Schema.

use crate::contract::duration;
use crate::file::{Field, Record, Shape};
use crate::json::Pointer;

const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::Text };

/// A subject file.
pub static SHAPE: Record = Record::new(
    "subject",
    "The implementation under test.",
    &[
        Field::optional("name", "What people call it; the file's name, unless said.", Shape::Text),
        Field::required("contract", "The contract that it is judged by.", Shape::Text),
        Field::optional("server", "Where its server is.", Shape::Record(&SERVER)),
        Field::optional("client", "The program that is its client, where that is under test.", Shape::Record(&CLIENT)),
        Field::optional(
            "credentials",
            "Who may call it; the first is the default.",
            Shape::Map {
                keys: "credentials",
                values: &Shape::Map { keys: "scopes and `headers`", values: &Shape::Either(&[Shape::Text, HEADERS]) },
            },
        ),
        Field::optional(
            "observe",
            "Observers of its own, by effect: a call of the read side, a query, or a command.",
            Shape::Map { keys: "effects", values: &Shape::Either(&[Shape::Text, Shape::Record(&OBSERVER)]) },
        ),
        Field::optional(
            "hooks",
            "How to provoke what no call provokes, by name.",
            Shape::Map { keys: "hooks", values: &Shape::Record(&HOOK) },
        ),
        Field::optional(
            "operations",
            "What it wants to be asked in other words than the contract's, by operation.",
            Shape::Map { keys: "operations", values: &Shape::Record(&WORDING) },
        ),
        Field::optional(
            "settles",
            "A longer wait until effects show than the contract's.",
            Shape::Pattern {
                says: "a duration, such as 250ms or 2s",
                regex_for_schema: "^[0-9]+(ms|s|min)$",
                accepts: |text| duration(text).map(|_| ()),
            },
        ),
        Field::optional("allow hosts", "Hosts besides loopback that may be called.", Shape::OneOrMany(&Shape::Text)),
    ],
);

static SERVER: Record = Record::new(
    "server",
    "Where a server is, and how to run it.",
    &[
        Field::optional("url", "Its URL.", Shape::Text),
        Field::optional("urls", "The URLs of replicas of one service.", Shape::List(&Shape::Text)),
        Field::optional(
            "ca",
            "Of `https` URLs: a file of PEM certificates to trust, in place of those that this machine trusts.",
            Shape::Text,
        ),
        Field::optional(
            "start",
            "A command that starts one on `{port}`, run where this file is; then it can be killed and started again. `{folder}` is where it may keep things.",
            Shape::Text,
        ),
        Field::optional(
            "environment",
            "Variables for that command.",
            Shape::Map { keys: "variables", values: &Shape::Text },
        ),
        Field::optional("ready", "A call that answers 2xx when it is ready, such as `GET /healthz`.", Shape::Text),
        Field::optional("edge", "A command that starts a gateway on `{port}`, in front of `{origin}`.", Shape::Text),
    ],
);

static CLIENT: Record = Record::new(
    "client",
    "A program that is a client, and how to ask it.",
    &[
        Field::optional("run", "A command that does what it is asked for, tells the outcome and ends.", Shape::Text),
        Field::optional("stays up", "A command that takes one line for each intent and answers with one.", Shape::Text),
        Field::optional("kind", "Which kind of client it is; the contract's first, unless said.", Shape::Text),
        Field::optional(
            "operations",
            "What it can be asked for; everything, unless said.",
            Shape::OneOrMany(&Shape::Text),
        ),
        Field::optional(
            "environment",
            "Variables for that command.",
            Shape::Map { keys: "variables", values: &Shape::Text },
        ),
        Field::optional("persists", "It keeps what it was asked to do over its own end.", Shape::Flag),
        Field::optional(
            "time scale",
            "Its clock: all its waits are this share, which it is told as ONCEPROOF_TIME_SCALE.",
            Shape::Pattern {
                says: "a share of the time, such as 0.1",
                regex_for_schema: "^(0\\.[0-9]*[1-9][0-9]*|1(\\.0*)?)$",
                accepts: |text| time_scale(text).map(|_| ()),
            },
        ),
        Field::optional(
            "speaks",
            "Operations that it asks for in its own words.",
            Shape::Map { keys: "operations", values: &Shape::Record(&SPEECH) },
        ),
    ],
);

static SPEECH: Record = Record::new(
    "speech",
    "How its own requests differ from the contract's.",
    &[
        Field::optional("request", "Its own method and path.", Shape::Text),
        Field::optional(
            "key",
            "Where it carries the key; `none` where it has none.",
            Shape::Either(&[Shape::Word(&["none"]), Shape::Record(&PLACE)]),
        ),
        Field::optional(
            "may vary",
            "Places of its body that may differ between attempts.",
            Shape::OneOrMany(&Shape::Pattern {
                says: "a JSON pointer, such as /sentAt",
                regex_for_schema: "^(/[^/]*)+$",
                accepts: |text| text.parse::<Pointer>().map(|_| ()).map_err(|error| error.to_string()),
            }),
        ),
        Field::optional(
            "refusal",
            "The body of a refusal (4xx, but what passes by itself), as it needs to see it.",
            Shape::Json,
        ),
        Field::optional("answer", "The success that it needs to see.", Shape::Record(&SUCCESS)),
    ],
);

static PLACE: Record = Record::new(
    "place",
    "Where a key is carried.",
    &[
        Field::optional("header", "In this header.", Shape::Text),
        Field::optional(
            "at",
            "At this place of the body.",
            Shape::Pattern {
                says: "a JSON pointer, such as /items/0/id",
                regex_for_schema: "^(/[^/]*)*$",
                accepts: |text| text.parse::<Pointer>().map(|_| ()).map_err(|error| error.to_string()),
            },
        ),
    ],
);

static SUCCESS: Record = Record::new(
    "success",
    "A success as a client needs to see it.",
    &[
        Field::optional(
            "status",
            "Its status; 200, unless said.",
            Shape::Pattern {
                says: "a status from 200 to 299",
                regex_for_schema: "^2[0-9][0-9]$",
                accepts: |text| match text.parse::<u16>() {
                    Ok(200..=299) => Ok(()),
                    Ok(_) | Err(_) => Err(format!("`{text}` is not the status of a success")),
                },
            },
        ),
        Field::required("body", "Its body.", Shape::Json),
    ],
);

/// `0.1`: a share of the time, more than nothing and no more than all of it.
pub fn time_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse::<f64>().ok().filter(|scale| *scale > 0.0 && *scale <= 1.0);
    scale.ok_or_else(|| format!("`{text}` is not a share of the time: more than 0, and at most 1"))
}

static OBSERVER: Record = Record::new(
    "observer",
    "How to count an effect: a query, a call, or a command.",
    &[
        Field::optional("sql", "The database: `postgres://…`, or a SQLite file.", Shape::Text),
        Field::optional(
            "http",
            "A call such as `GET /things?user={{ user }}`; what in its answer counts is the contract's, unless said.",
            Shape::Text,
        ),
        Field::optional(
            "command",
            "A shell command that prints the count; ONCEPROOF_KEY and ONCEPROOF_USER tell it whose.",
            Shape::Text,
        ),
        Field::optional(
            "rows",
            "Of a call: the JSONPath of its rows, such as `$.items[?@.key == {key}]`; `{key}` and `{user}` are bound.",
            Shape::Text,
        ),
        Field::optional(
            "count",
            "The query, in which `{key}` and `{user}` are bound; of a call, the JSONPath of a number.",
            Shape::Text,
        ),
    ],
);

static HOOK: Record = Record::new(
    "hook",
    "How to provoke something.",
    &[
        Field::optional("headers", "Headers to send with the attempt.", HEADERS),
        Field::optional("command", "A shell command that is run before the attempt.", Shape::Text),
        Field::optional(
            "call",
            "A call that is made before the attempt, such as `POST /limits`.",
            Shape::Either(&[Shape::Text, Shape::Record(&CALL)]),
        ),
        Field::optional(
            "undo",
            "What is done after the attempt, whatever came of it: a shell command, or a call.",
            Shape::Either(&[Shape::Text, Shape::Record(&CALL)]),
        ),
        Field::optional(
            "within",
            "How long the command or call may take; 10s, unless said.",
            Shape::Pattern {
                says: "a duration, such as 250ms or 2s",
                regex_for_schema: "^[0-9]+(ms|s|min)$",
                accepts: |text| duration(text).map(|_| ()),
            },
        ),
    ],
);

static CALL: Record = Record::new(
    "call",
    "A call that must be answered 2xx.",
    &[
        Field::required("request", "Method and path.", Shape::Text),
        Field::optional("headers", "Its headers.", HEADERS),
        Field::optional("body", "Its body, as JSON.", Shape::Json),
    ],
);

static WORDING: Record = Record::new(
    "wording",
    "How its request differs from the contract's.",
    &[
        Field::optional("path", "Its own path and query.", Shape::Text),
        Field::optional("body", "The body of its plain request; a template like the contract's.", Shape::Json),
        Field::optional("headers", "Headers besides the contract's; no secrets.", HEADERS),
    ],
);
