// What the harness gives a client under test, and how such a client tells how it ended.
import crypto from 'node:crypto';

export const url = process.env.ONCEPROOF_URL;
export const input = JSON.parse(process.env.ONCEPROOF_INPUT || '{}');
export const key = process.env.ONCEPROOF_KEY; // only where the caller gave one
export const credential = process.env.ONCEPROOF_CREDENTIAL ?? 'k';
export const retries = process.env.RETRIES && Number(process.env.RETRIES); // unset: the SDK's default

// For the plain HTTP libraries, which speak the contract itself: the event with an id that is made once, and its headers.
export const event = { ...input, event_id: input.event_id ?? crypto.randomUUID() };
export const headers = { 'Content-Type': 'application/json', 'X-API-Key': credential };

// Returned is success, thrown is failure. Exits at once: some SDKs keep timers or sockets open.
export async function tell(send) {
  let outcome = 'success';
  // Node ends a program that nothing keeps alive, also one whose request hangs.
  const alive = setInterval(() => {}, 1000);
  try {
    await send();
  } catch (error) {
    console.error(String(error));
    outcome = 'failure';
  }
  clearInterval(alive);
  console.log(JSON.stringify({ outcome }));
  process.exit(outcome === 'success' ? 0 : 1);
}
