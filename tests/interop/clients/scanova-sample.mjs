// The retry sample for Node.js in Scanova's documentation ("Idempotency & Retries"), as a program of its own. Its slips are kept:
// what it throws for a 4xx lands in its own catch, Retry-After is never looked at, and after five 5xx it sleeps once more and returns.
import crypto from 'node:crypto';
import { url, input, credential, tell } from './harness.mjs';

async function sendWithRetry(eventPayload, maxAttempts = 5) {
  // one id for all the attempts
  const payload = { ...eventPayload, event_id: eventPayload.event_id ?? crypto.randomUUID() };
  let delay = 1000;

  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    try {
      const response = await fetch(url + '/server-events', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': credential },
        body: JSON.stringify(payload),
        signal: AbortSignal.timeout(10_000),
      });
      if (response.status >= 400 && response.status < 500) {
        const error = await response.json();
        throw new Error(`Permanent error ${response.status}: ${JSON.stringify(error)}`);
      }
      if (response.ok) return;
    } catch (err) {
      if (attempt === maxAttempts) throw err;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
    delay = Math.min(delay * 2, 30_000);
  }
}

await tell(() => sendWithRetry(input));
