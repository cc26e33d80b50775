// MODE=post adds POST to the methods that got retries (its documented option retry.methods). Without it a POST is never retried.
import got from 'got';
import { url, event, headers, tell } from './harness.mjs';

const retry = process.env.MODE === 'post' ? { limit: 4, methods: ['POST'] } : {};

await tell(() => got.post(url + '/server-events', { json: event, headers, timeout: { request: 10000 }, retry }));
