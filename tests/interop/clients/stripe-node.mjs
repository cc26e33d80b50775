// Stripe's SDK: makes an Idempotency-Key for each POST that has none, and keeps it over its retries.
import Stripe from 'stripe';
import { url, input, key, credential, tell } from './harness.mjs';

const { hostname, port } = new URL(url);
const stripe = new Stripe(credential, { host: hostname, port, protocol: 'http', timeout: 10000, telemetry: false });
const charge = { amount: 100, currency: 'usd', source: 'tok_visa', description: JSON.stringify(input) };

await tell(() => stripe.charges.create(charge, key ? { idempotencyKey: key } : {}));
