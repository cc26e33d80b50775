//! `reuse-body`: all requests of one intent ask for the same thing, and none is empty. Spelling is no difference, and the
//! key is judged by itself.

use crate::judge::client::content::Content;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};
use crate::message::header;

/// The header that says what a body is.
const CONTENT_TYPE: &str = "content-type";

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing was asked for twice", |course, shown| {
        let calls = course.whole();
        let has_body = !course.intent.request.body.0.is_empty();
        for call in calls.iter().filter(|call| has_body && Content::of(course, call).is_empty()) {
            shown.broken(Anomaly::ChangedRequest, "a request with its body", "an empty one", [call.entry]);
        }
        let Some((first, others)) = calls.split_first() else { return };
        let wanted = Content::of(course, first);
        let may_vary = course.rules.varying_headers.iter().any(|name| name == CONTENT_TYPE);
        for call in others {
            let found = Content::of(course, call);
            let entries = [first.entry, call.entry];
            let (was, is) = (content_type(first), content_type(call));
            if has_body && (wanted.is_empty() || found.is_empty()) {
                // Said above.
            } else if !found.is_of(&wanted) {
                shown.broken(Anomaly::ChangedRequest, short(&wanted.whole), short(&found.whole), entries);
            } else if was != is && !may_vary {
                let words = |value: Option<&str>| format!("Content-Type {}", value.unwrap_or("left out"));
                shown.broken(Anomaly::ChangedRequest, words(was), words(is), entries);
            } else {
                shown.witness(entries);
            }
        }
    })
}

fn content_type<'c>(call: &'c Call<'_>) -> Option<&'c str> {
    header(&call.exchange.request.headers, CONTENT_TYPE).map(str::trim)
}

fn short(text: &str) -> String {
    let short: String = text.chars().take(120).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, given, results, wanted};

    const UNKNOWN: &str = "never exercised: nothing was asked for twice";
    const CLAIM: &str = "reuse-body: wanted";
    const BODY: &str = r#"{"size":3,"user":"u","sent_at":"noon","id":"k"}"#;

    fn then(body: &str) -> Story {
        wanted("send").call(0).body(BODY).call(1_000).body(body).answered(200, DONE)
    }

    fn many() -> Story {
        given([
            "one: { operation: send }",
            "two: { operation: send }",
            "wanted: { operation: send, items: [one, two] }",
        ])
        .ask("wanted")
        .call(0)
        .answered(200, &results(["ok", "error"]))
        .call(1_000)
    }

    #[test]
    fn the_same_content_keeps_it_however_it_is_written() {
        wanted("send").call(0).call(1_000).answered(200, DONE).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        wanted("link").call(0).call(1_000).answered(200, DONE).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        for same in [
            r#"{ "user": "u", "size": 3, "sent_at": "noon", "id": "k" }"#,
            // Declared as varying.
            r#"{"size":3,"user":"u","sent_at":"later","id":"k"}"#,
            r#"{"size":3,"user":"u","id":"k"}"#,
            // Another key is another claim's.
            r#"{"size":3,"user":"u","id":"other"}"#,
        ] {
            then(same).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        }
        then(BODY).with("X-Try", "2").tells(1_020, "success").judged(CLAIM).holds([0, 1]);
    }

    #[test]
    fn other_content_or_another_type_breaks_it() {
        for other in [
            r#"{"size":4,"user":"u","id":"k"}"#,
            r#"{"size":3,"user":"u","id":"k","try":2}"#,
            r#"{"size":3.0,"user":"u","id":"k"}"#,
            "no JSON",
        ] {
            then(other).tells(1_020, "success").judged(CLAIM).violated(["changed request [0, 1]"]);
        }
        let text = then(BODY).with("Content-Type", "text/plain").tells(1_020, "success");
        text.judged(CLAIM).violated(["changed request [0, 1]"]);
        let kind = then(BODY).kind("bare").body(r#"{"size":3,"user":"u","sent_at":"later","id":"k"}"#);
        kind.tells(1_020, "success").judged(CLAIM).violated(["changed request [0, 1]"]);
    }

    #[test]
    fn an_empty_request_breaks_it_even_alone() {
        then("").tells(1_020, "success").judged(CLAIM).violated(["changed request [1]"]);
        wanted("send").call(0).body("").tells(20, "failure").judged(CLAIM).violated(["changed request [0]"]);
    }

    #[test]
    fn a_batch_may_ask_for_a_part_of_its_items_and_for_no_others() {
        many().tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        many().items(["two"]).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        many().items([]).tells(1_020, "success").judged(CLAIM).violated(["changed request [0, 1]"]);
        let other = many().body(r#"{"items":[{"size":9}]}"#).tells(1_020, "success");
        other.judged(CLAIM).violated(["changed request [0, 1]"]);
    }

    #[test]
    fn one_request_or_a_part_of_one_leaves_it_open() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
        wanted("send").call(0).call(1_000).partial().tells(1_020, "failure").judged(CLAIM).unknown(UNKNOWN);
        let led = wanted("send").call(0).call(1_000).method("GET").body("").answered(200, DONE);
        led.tells(1_020, "success").judged(CLAIM).unknown(UNKNOWN);
    }
}
