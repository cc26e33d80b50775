// p-retry's usual recipe over fetch. MODE=newkey makes the usual mistake: the id is made inside the function that is retried.
import crypto from 'node:crypto';
import pRetry, { AbortError } from 'p-retry';
import { url, event, headers, tell } from './harness.mjs';

async function send() {
  const body = process.env.MODE === 'newkey' ? { ...event, event_id: crypto.randomUUID() } : event;
  const response = await fetch(url + '/server-events', { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10000) });
  if (response.status === 400) throw new AbortError(response.statusText);
  if (!response.ok) throw new Error('status ' + response.status);
  return response.json();
}

await tell(() => pRetry(send, { retries: 4 }));
