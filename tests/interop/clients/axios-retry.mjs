// MODE=post: the commonly copied recipe that retries POST. Without it: axios-retry's defaults, which do not on 5xx, 429 or a time-out.
import axios from 'axios';
import axiosRetry from 'axios-retry';
import { url, event, headers, tell } from './harness.mjs';

const http = axios.create({ baseURL: url, timeout: 10000, proxy: false });
const recipe = {
  retryDelay: axiosRetry.exponentialDelay,
  retryCondition: (e) => axiosRetry.isNetworkError(e) || e.code === 'ECONNABORTED' || e.response?.status === 429 || e.response?.status >= 500,
  shouldResetTimeout: true,
};
axiosRetry(http, { retries: 4, ...(process.env.MODE === 'post' ? recipe : {}) });

await tell(() => http.post('/server-events', event, { headers }));
