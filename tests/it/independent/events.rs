//! Events and their batch: ids, flags, counters, and the lies about them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::curious::{Answer, Call, Curious, Store, WINDOW, batch, invalid, no, placed, word};
use super::manner::Defect;

impl Curious {
    pub fn event(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        let id = match body.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if id.is_empty() && self.manner.lenient_ids => None,
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(_) if self.manner.lenient_ids => None,
            Some(_) => return invalid("id is a string with something in it"),
        };
        if id.as_ref().is_some_and(|id| id.chars().count() > self.manner.longest_id || id.contains('\0')) {
            return invalid("this id is none of ours");
        }
        let (Some(name), Some(user)) = (word(body, "event"), word(body, "user_id")) else {
            if let Some(id) = id
                && self.lies(Defect::RefusedEventClaimsId)
            {
                store.ids.insert((call.keyspace.clone(), id), Instant::now());
            }
            return invalid("event and user_id are required");
        };
        if body.get("properties").is_some_and(|properties| !properties.is_object()) {
            return invalid("properties is an object");
        }
        let id = match id {
            Some(id) if self.lies(Defect::IdsPerUser) => Some(format!("{user} {id}")),
            None if self.lies(Defect::MergesByContent) => Some(format!("{name} {body}")),
            other => other,
        };
        let now = Instant::now();
        let mut duplicate = false;
        if let Some(known) = id.as_ref().filter(|_| self.manner.last_wins) {
            let events = &mut store.worlds.entry(call.world.clone()).or_default().events;
            for row in events.iter_mut().filter(|row| row["id"] == json!(known)) {
                row["properties"] = body["properties"].clone();
            }
        }
        if let Some(id) = id {
            let place = (call.keyspace.clone(), id);
            let known = store.ids.get(&place).is_some_and(|ready| *ready <= now);
            if known && self.lies(Defect::EventRepeatConflicts) {
                return no(409, "conflict", "this event is known");
            }
            if !known {
                let settles = if self.lies(Defect::RacesEvents) { WINDOW } else { Duration::ZERO };
                store.ids.insert(place, now + settles);
            }
            duplicate = known;
        }
        if !duplicate || self.lies(Defect::CountsEventsAgain) {
            let mut row = body.clone();
            row["received"] = json!(store.serial);
            store.worlds.entry(call.world.clone()).or_default().events.push(row);
        }
        let mut answer = json!({ "status": "ok" });
        let says = match self.defect {
            Some(Defect::EventRepeatUnflagged) => false,
            Some(Defect::MarksFirst) => true,
            _ => duplicate,
        };
        if says || self.manner.says_no {
            answer["duplicate"] = json!(says);
        }
        (200, answer)
    }

    pub fn event_batch(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        let text = call.request.body.as_slice();
        let items = match batch(body, &String::from_utf8_lossy(text), "events") {
            Ok(items) => items,
            Err(answer) => return answer,
        };
        if self.lies(Defect::RefusesWholeBatch)
            && items.iter().any(|(item, _)| word(item, "event").is_none() || word(item, "user_id").is_none())
        {
            return invalid("an event is invalid");
        }
        let mut results = Vec::new();
        let mut duplicates = 0;
        let old = items.iter().any(|(item, _)| {
            let id = item["id"].as_str().unwrap_or_default().to_owned();
            store.ids.contains_key(&(call.keyspace.clone(), id))
        });
        for (place, (item, _)) in items.iter().enumerate() {
            if old && self.lies(Defect::DropsNewBesideOld) {
                duplicates += 1;
                results.push(json!({ "status": "ok", "duplicate": true }));
                continue;
            }
            let twin = items[..place].iter().any(|(other, _)| other.get("id") == item.get("id"));
            if twin && self.lies(Defect::DoesTwinsBoth) && item.get("id").is_some() {
                let id = item["id"].as_str().unwrap_or_default().to_owned();
                store.ids.remove(&(call.keyspace.clone(), id));
            }
            let (status, answer) = self.event(store, call, item);
            if status == 409 {
                return (status, answer);
            }
            duplicates += usize::from(answer["duplicate"] == json!(true));
            let mut item = placed(status < 300, &answer);
            if self.lies(Defect::UnflaggedInBatch)
                && let Some(item) = item.as_object_mut()
            {
                item.shift_remove("duplicate");
            }
            results.push(item);
        }
        let mut answer = json!({ "results": results });
        self.count(&mut answer, "duplicates", duplicates);
        (self.manner.event_status, answer)
    }
}
