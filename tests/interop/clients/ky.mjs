// MODE=post adds POST to the methods that ky retries (its documented option retry.methods). Without it a POST is never retried.
import ky from 'ky';
import { url, event, headers, tell } from './harness.mjs';

const retry = process.env.MODE === 'post' ? { limit: 4, methods: ['post'] } : {};

await tell(() => ky.post(url + '/server-events', { json: event, headers, timeout: 10000, retry }).json());
