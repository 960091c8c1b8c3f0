// A schedule over the HTTP API of a running server (`toolyard serve`), with the typed client.
import { createApiClient } from '@toolyard/protocol';

const { TOOLYARD_URL = 'http://127.0.0.1:8080', TOOLYARD_TOKEN = '' } = process.env;

const api = createApiClient({
  async send(path, { headers, ...init }) {
    const authorized = { ...headers, authorization: `Bearer ${TOOLYARD_TOKEN}` };
    const response = await fetch(`${TOOLYARD_URL}${path}`, { ...init, headers: authorized });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text}`);
    return text;
  },
  createUnreadableError: (path) => new Error(`${path} did not return JSON.`),
});

const { id, description, nextAt } = await api.post('/api/schedules', {
  body: {
    title: 'Morning report',
    task: 'Summarize what changed since yesterday.',
    timing: { kind: 'cron', expression: '0 9 * * 1-5' },
    timeZone: 'Europe/Berlin',
  },
});
console.log(`${description}; next: ${new Date(nextAt ?? 0).toISOString()}`);

const params = { id };
const now = await api.post('/api/schedules/{id}/run', { params });
console.log(`run now: ${now.outcome}${now.reason === null ? '' : ` (${now.reason})`}`);
const { items } = await api.get('/api/schedules/{id}/firings', { params });
console.log(`${items.length} in the history`);
await api.delete('/api/schedules/{id}', { params });
