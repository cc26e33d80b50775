//! `decide` and its batch: keys, sameness, replays, conflicts, and the lies about them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::content::content;
use super::curious::{
    Answer, Call, Curious, Decision, Kept, MISMATCH, Store, WINDOW, batch, invalid, no, placed, shaped, word,
};
use super::manner::Defect;

impl Curious {
    pub fn decide(&self, store: &mut Store, call: &Call<'_>, body: &Value, text: &str) -> Answer {
        let target = if self.manner.one_call { String::new() } else { call.target.clone() };
        self.decide_one(store, call, &target, body, text, false)
    }

    pub fn decide_one(
        &self,
        store: &mut Store,
        call: &Call<'_>,
        target: &str,
        body: &Value,
        text: &str,
        twin: bool,
    ) -> Answer {
        let key = match self.key(body) {
            Ok(key) => key.map(|key| (call.keyspace.clone(), key)),
            Err(answer) => return answer,
        };
        if call.dry
            && let Err(answer) = self.checked(store, call, body)
        {
            return answer;
        }
        if call.dry {
            return (200, json!({ "valid": true }));
        }
        let request = format!("{target} {}", self.fingerprint(body, text));
        if (self.manner.element_first || key.is_none())
            && let Err(answer) = self.checked(store, call, body)
        {
            return answer;
        }
        let now = Instant::now();
        if let Some(key) = &key
            && let Some(kept) = store.keys.get_mut(key).filter(|_| !twin)
        {
            let ready = kept.ready <= now;
            if self.lies(Defect::Races) && !ready {
                // Not there yet, as it looks from here.
            } else {
                let code =
                    json!({ "error": "conflict", "code": "lock_timeout", "message": "this idempotency_key is in use" });
                if !ready && (self.manner.locks_first || kept.request == request) {
                    if self.lies(Defect::LocksForever) {
                        kept.ready = now + Duration::from_secs(3600);
                    }
                    return (409, code);
                }
                if self.lies(Defect::StoresRefusal) && kept.answer.0 >= 400 {
                    return kept.answer.clone();
                }
                if kept.request != request && !self.lies(Defect::IgnoresMismatch) {
                    // What cannot be read as a decide at all is refused as such, key or not.
                    if let Err(answer) = shaped(body) {
                        return answer;
                    }
                    if self.lies(Defect::ConflictOverwrites) {
                        kept.request = request;
                    }
                    if self.lies(Defect::ConflictFrees) {
                        store.keys.remove(key);
                    }
                    let message = match self.lies(Defect::WordsConflictOtherwise) {
                        true => "this key was used for something else",
                        false => MISMATCH,
                    };
                    return no(409, "idempotency_error", message);
                }
                kept.told += 1;
                let kept = kept.clone();
                if !(self.lies(Defect::DecidesAgain) || self.lies(Defect::ReplaysOnce) && kept.told > 1) {
                    return self.replay(store, call, kept);
                }
            }
        }
        if let Err(answer) = self.checked(store, call, body) {
            if let Some(key) = key
                && answer.0 != 401
                && (self.lies(Defect::StoresRefusal) || self.lies(Defect::RefusalClaimsKey))
            {
                store.keys.insert(key, Kept { request, answer: answer.clone(), ready: now, told: 0 });
            }
            return answer;
        }
        let answer = self.decided(store, call, body);
        if let Some(key) = key {
            let settles = match self.lies(Defect::Races) {
                true => WINDOW,
                false => self.manner.in_progress.unwrap_or_default(),
            };
            store.keys.insert(key, Kept { request, answer: answer.clone(), ready: now + settles, told: 0 });
        }
        self.marked(answer, self.lies(Defect::MarksFirst))
    }

    pub fn fingerprint(&self, body: &Value, text: &str) -> String {
        if self.lies(Defect::ComparesBytes) {
            return text.to_owned();
        }
        if self.lies(Defect::IgnoresContext) {
            return format!("{} {}", body["user_id"], body["element"]);
        }
        let text = if self.manner.reads_numbers { body.to_string() } else { text.to_owned() };
        content(&text, Some("idempotency_key")).unwrap_or_default()
    }

    pub fn key(&self, body: &Value) -> Result<Option<String>, Answer> {
        let key = match body.get("idempotency_key") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(key)) => key.clone(),
            Some(_) => return Err(invalid("idempotency_key is a string")),
        };
        let length = match () {
            () if self.lies(Defect::CountsBytes) => key.len(),
            () if self.manner.utf16 => key.encode_utf16().count(),
            () => key.chars().count(),
        };
        let longest = if self.lies(Defect::AcceptsTooLong) { 256 } else { 255 };
        if length == 0 || length > longest {
            return Err(invalid("idempotency_key has 1 to 255 characters"));
        }
        if key.contains('\0') && self.lies(Defect::FailsOnNul) {
            return Err(no(500, "internal", "invalid byte sequence for encoding \"UTF8\": 0x00"));
        }
        if key.contains('\0') && !self.lies(Defect::CutsAtNul) {
            return Err(invalid("idempotency_key may not contain U+0000"));
        }
        Ok(Some(match self.defect {
            Some(Defect::CutsAtNul) => key.split('\0').next().unwrap_or_default().to_owned(),
            Some(Defect::CutsKeys) => key.chars().take(254).collect(),
            Some(Defect::FoldsCase) => key.to_lowercase(),
            Some(Defect::TrimsKeys) => key.trim().to_owned(),
            _ => key,
        }))
    }

    pub fn checked(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Result<(), Answer> {
        let element = shaped(body)?;
        let world = store.worlds.entry(call.world.clone()).or_default();
        match world.elements.contains_key(element) {
            true => Ok(()),
            false => Err(no(404, "not_found", format!("no element {element:?}"))),
        }
    }

    pub fn decided(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        store.serial += 1;
        let serial = store.serial;
        let world = store.worlds.entry(call.world.clone()).or_default();
        let (Some(name), Some(user)) = (word(body, "element"), word(body, "user_id")) else {
            return invalid("unchecked");
        };
        let element = world.elements.get(name).expect("it was checked").clone();
        if self.manner.merges_unkeyed
            && body.get("idempotency_key").is_none_or(Value::is_null)
            && let Some(known) = world.decisions.iter().find(|row| row.user == user && row.element == name)
        {
            let arm = &element.arms[0];
            return (
                200,
                json!({ "decision_id": known.id, "element": name, "user_id": user, "arm": arm, "decided_at": 0 }),
            );
        }
        let arm = if element.running { &element.arms[serial as usize % element.arms.len()] } else { &element.arms[0] };
        let id = match self.manner.numbers {
            true => json!(9_007_199_254_740_993_u64 + serial),
            false => json!(format!("dec_{serial:08x}")),
        };
        for row in world.decisions.iter_mut().filter(|row| row.user == user && row.element == name) {
            row.ended = true;
        }
        let key = body.get("idempotency_key").cloned().unwrap_or_default();
        world.decisions.push(Decision { id: id.clone(), user: user.into(), element: name.into(), key, ended: false });
        let at = jiff::Timestamp::now().to_string();
        let mut answer = json!({ "decision_id": id, "element": name, "user_id": user, "arm": arm, "decided_at": at });
        if self.manner.extras {
            answer["weight"] = json!(0.5);
            answer["flags"] = json!([serial, null, true, { "replayed": true }]);
            answer["context"] = body.get("context").cloned().unwrap_or_default();
            answer["padding"] = json!("ü".repeat(500));
        }
        (200, answer)
    }

    pub fn replay(&self, store: &mut Store, call: &Call<'_>, kept: Kept) -> Answer {
        let (mut status, mut answer) = kept.answer;
        store.serial += 1;
        let world = store.worlds.entry(call.world.clone()).or_default();
        match self.defect {
            Some(Defect::ReplaysUnmarked) => return (status, answer),
            Some(Defect::RepeatsWith201) => status = 201,
            Some(Defect::ReplaysWithNewId) => answer["decision_id"] = json!(format!("dec_{:08x}", store.serial)),
            Some(Defect::ReplaysWithNewTime) => answer["decided_at"] = json!(format!("later, {}", store.serial)),
            Some(Defect::ReplayEndsWindow) => {
                for row in world.decisions.iter_mut().filter(|row| row.id == answer["decision_id"]) {
                    row.ended = true;
                }
            }
            Some(Defect::ForgetsConcluded) => {
                let element = answer["element"].as_str().and_then(|name| world.elements.get(name));
                if element.is_some_and(|element| !element.running) {
                    return no(404, "not_found", "the element was concluded");
                }
            }
            Some(Defect::ReplaysToday) => {
                let element = answer["element"].as_str().and_then(|name| world.elements.get(name));
                if let Some(element) = element.filter(|element| !element.running) {
                    answer["arm"] = json!(format!("{} (concluded)", element.arms[0]));
                }
            }
            _ => {}
        }
        let (status, mut answer) = self.marked((status, answer), true);
        if self.manner.reorders
            && let Some(members) = answer.as_object_mut()
        {
            members.sort_keys();
        }
        if self.lies(Defect::MarksInText) {
            answer["replayed"] = json!("true");
        }
        (status, answer)
    }

    pub fn marked(&self, (status, mut answer): Answer, replayed: bool) -> Answer {
        if status < 300 && (replayed || self.manner.says_no) {
            answer["replayed"] = json!(replayed);
        }
        (status, answer)
    }

    pub fn decide_batch(&self, store: &mut Store, call: &Call<'_>, body: &Value, text: &str) -> Answer {
        let items = match batch(body, text, "items") {
            Ok(items) => items,
            Err(answer) => return answer,
        };
        let target = if self.manner.one_call { String::new() } else { call.target.clone() };
        if self.lies(Defect::RefusesWholeBatch)
            && items.iter().any(|(item, _)| self.key(item).is_err() || self.checked(store, call, item).is_err())
        {
            return invalid("an item is invalid");
        }
        let mut seen = Vec::new();
        let mut results = Vec::new();
        let mut replayed = 0;
        for (item, text) in &items {
            let key = item.get("idempotency_key").cloned();
            let twin = self.lies(Defect::DoesTwinsBoth) && seen.contains(&key);
            seen.push(key);
            let (status, mut answer) = self.decide_one(store, call, &target, item, text, twin);
            if self.lies(Defect::BatchReplaysAnew) && answer["replayed"] == json!(true) {
                answer["decided_at"] = json!(format!("later, {}", store.serial));
            }
            let ok = status < 300;
            replayed += usize::from(ok && answer["replayed"] == json!(true));
            results.push(placed(ok, &answer));
        }
        let mut answer = json!({ "results": results });
        self.count(&mut answer, "replayed", replayed);
        (200, answer)
    }

    pub fn count(&self, answer: &mut Value, name: &str, count: usize) {
        let count = count + usize::from(self.lies(Defect::CountsOneMore));
        if count > 0 || self.manner.says_no {
            answer[name] = json!(count);
        }
        if self.manner.extras {
            answer["took_us"] = json!(Instant::now().elapsed().as_nanos() as u64 + 40);
            answer["page"] = json!({ "more": false });
        }
    }
}
