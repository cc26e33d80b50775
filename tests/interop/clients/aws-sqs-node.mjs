// The AWS SDK sends a message to a FIFO queue; the id that drops duplicates is the caller's. Without throwOnRequestTimeout its
// requestTimeout would only print a warning, and a server that never answers would be waited for without end.
import crypto from 'node:crypto';
import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { url, input, key, credential, tell } from './harness.mjs';

const sqs = new SQSClient({
  endpoint: url, region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: credential }, md5: false,
  requestHandler: { requestTimeout: 10000, throwOnRequestTimeout: true },
});

await tell(() => sqs.send(new SendMessageCommand({
  QueueUrl: url + '/123/events.fifo', MessageBody: JSON.stringify(input), MessageGroupId: 'events', MessageDeduplicationId: key ?? crypto.randomUUID(),
})));
