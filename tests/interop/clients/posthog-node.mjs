// PostHog's SDK: capture() only queues; shutdown() flushes, and what failed comes as an error event.
import { PostHog } from 'posthog-node';
import { url, input, key, credential, retries, tell } from './harness.mjs';

await tell(async () => {
  const posthog = new PostHog(credential, { host: url, flushAt: 1, requestTimeout: 10000, disableCompression: true, ...(retries && { fetchRetryCount: retries }) });
  let failed;
  posthog.on('error', (error) => { failed = error; });
  posthog.capture({ distinctId: 'user-1', event: input.event_name ?? 'purchase', properties: input, ...(key && { uuid: key }) });
  await posthog.shutdown(60_000);
  if (failed) throw failed;
});
