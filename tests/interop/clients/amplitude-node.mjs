// Amplitude's SDK: track() gives a promise of how the event ended, which is settled but never rejected.
// Its queue is sent by a timer only (flush() would send at once, but without the SDK's retries), so that is shortened from 10 s.
import * as amplitude from '@amplitude/analytics-node';
import { url, input, key, credential, retries, tell } from './harness.mjs';

await tell(async () => {
  amplitude.init(credential, {
    serverUrl: url + '/2/httpapi', flushQueueSize: 1, flushIntervalMillis: 1000, logLevel: 0, ...(retries && { flushMaxRetries: retries }),
  });
  const sent = amplitude.track(input.event_name ?? 'purchase', input, { user_id: 'user-1', ...(key && { insert_id: key }) });
  const result = await sent.promise;
  if (result.code < 200 || result.code > 299) throw new Error(result.code + ' ' + result.message);
});
