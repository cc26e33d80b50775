// OpenAI's SDK: retries a POST that carries no key.
import OpenAI from 'openai';
import { url, input, credential, tell } from './harness.mjs';

const client = new OpenAI({ apiKey: credential, baseURL: url + '/v1', timeout: 10000 });

await tell(() => client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: JSON.stringify(input) }] }));
