// A small shop that takes charges and refunds: what the idempotency packages for Node are mounted on. It knows no keys and
// never looks for a repeat: whoever asks twice has bought twice, unless the package in front of it prevents that. What it
// did is written into a file, so that it is still there after a restart; the keys are the package's own business.
//
//   node on-NAME.cjs PORT FOLDER
//   POST /charges, /refunds  {"amount": 100, ...}   201, the record with its id and a Location; 400 without a good amount
//   GET  /charges?MEMBER=VALUE, /refunds?...        {"count", "items"} of what was really done
//
// `Shop-Fails: before | after | crash | declined | busy` has it fail so: by 500 before or after the effect, by an exception
// after it, by 402, or by 429. `Shop-Streams: yes` has it answer in two pieces.
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const [port, folder] = process.argv.slice(2);
const file = path.join(folder, 'done.ndjson');
const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
const done = lines.map((line) => JSON.parse(line));

// So long does it work on something: long enough for a repeat to find it at work.
const WORKS = 100;

const answer = (status, body, headers = {}) => ({ status, body, headers });

// Takes one charge or refund; `header` reads a header of the request.
async function take(kind, body, header) {
  await new Promise((resume) => setTimeout(resume, WORKS));
  const fails = header('shop-fails');
  if (!(Number.isInteger(body?.amount) && body.amount > 0)) return answer(400, { error: 'amount is no positive number' });
  if (fails === 'busy') return answer(429, { error: 'busy' }, { 'Retry-After': '1' });
  if (fails === 'declined') return answer(402, { error: 'declined' });
  if (fails === 'before') return answer(500, { error: 'failed before it was done' });
  const record = { ...body, id: `${kind}-${crypto.randomUUID()}`, number: done.length + 1 };
  done.push({ kind, record });
  fs.appendFileSync(file, `${JSON.stringify({ kind, record })}\n`);
  if (fails === 'after') return answer(500, { error: 'failed after it was done' });
  if (fails === 'crash') throw new Error('crashed after it was done');
  return answer(201, record, { Location: `/${kind}/${record.id}`, 'X-Number': String(record.number) });
}

// What was done: the records of a kind whose members have these values.
function list(kind, wanted) {
  const fits = (record) => Object.entries(wanted).every(([name, value]) => String(record[name]) === value);
  const items = done.filter((one) => one.kind === kind && fits(one.record)).map((one) => one.record);
  return { count: items.length, items };
}

module.exports = { port: Number(port), host: '127.0.0.1', take, list };
