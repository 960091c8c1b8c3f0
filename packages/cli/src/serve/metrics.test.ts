import { describe, expect, it } from 'vitest';
import type { RunRecord } from '@toolyard/protocol';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { Served } from '../test-fixtures/served.ts';

const HEAD = /^# (HELP|TYPE) [a-z_]+ \S/;
const SAMPLE = /^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+0-9.e]+$/;

/** Samples by name and labels. Checks the Prometheus text format of every line. */
async function readMetrics(url: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const values = new Map<string, number>();
  for (const line of (await response.text()).trimEnd().split('\n')) {
    if (line.startsWith('#')) {
      expect(line).toMatch(HEAD);
      continue;
    }
    expect(line).toMatch(SAMPLE);
    const end = line.lastIndexOf(' ');
    values.set(line.slice(0, end), Number(line.slice(end)));
  }
  return values;
}

async function runOnce(served: Served): Promise<void> {
  await served.post('/api/conversations', { id: 'c' });
  const { run } = await served.post<{ run: RunRecord }>('/api/conversations/c/messages', {
    parts: [{ type: 'text', text: 'a secret word' }],
  });
  await eventually(async () => (await served.get<RunRecord>(`/api/runs/${run.id}`)).endedAt !== null);
}

describe('GET /metrics', () => {
  it('answers 404 unless enabled, and says how to enable it', async () => {
    await using served = await Served.start();
    const response = await fetch(`${served.url}/metrics`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ hint: expect.stringContaining('--metrics') as string });
  });

  it('reports runs, commits, models and servers, without message content, and requires the token', async () => {
    await using model = Object.assign(
      await startModelServer(() => reply.text('It is nine.', { usage: { prompt_tokens: 11, completion_tokens: 4 } })),
      { [Symbol.asyncDispose]: () => model.close() },
    );
    await using served = await Served.start({ model: model.url, date: true, env: { TOOLYARD_METRICS: 'on' } });
    const before = await readMetrics(served.url);
    expect(before.get('toolyard_runs{status="running"}')).toBe(0);
    await runOnce(served);
    const after = await readMetrics(served.url);
    expect(after.get('toolyard_runs_finished_total{status="done"}')).toBe(1);
    const named = (start: string): [string, number][] => [...after].filter(([name]) => name.startsWith(start));
    expect(named('toolyard_model_calls_total{').map(([name]) => name)).toEqual([
      expect.stringContaining('outcome="done"'),
    ]);
    expect(named('toolyard_model_tokens_total{').map(([, tokens]) => tokens)).toEqual([11, 4]);
    const groups = after.get('toolyard_commit_runs_count') ?? 0;
    expect(groups).toBeGreaterThan(0);
    expect(after.get('toolyard_commit_runs_bucket{le="1"}')).toBe(groups);
    expect(after.get('toolyard_commit_seconds_bucket{le="+Inf"}')).toBe(groups);
    // The date server, and the built-in servers of `ask_user`, computing, the tool search, documents and skills. A run does not wait for them forever.
    await eventually(async () => (await readMetrics(served.url)).get('toolyard_mcp_servers{state="ready"}') === 6);
    expect(after.get('toolyard_event_loop_delay_seconds{quantile="1"}')).toBeGreaterThanOrEqual(0);
    expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect([...after.keys()].join()).not.toMatch(/secret|nine/);

    await using closed = await Served.start({ args: ['--metrics', '--token', 'the-token-of-a-test'] });
    expect((await fetch(`${closed.url}/metrics`)).status).toBe(401);
    const headers = { authorization: 'Bearer the-token-of-a-test' };
    expect((await fetch(`${closed.url}/metrics`, { headers })).status).toBe(200);
  });
});

describeOnDatabases('GET /metrics over a database', (cluster) => {
  it('reports messages between processes', async () => {
    const env = {
      DATABASE_URL: await cluster().createDatabase(),
      TOOLYARD_SECRET: 'a passphrase of more than twenty characters',
      TOOLYARD_METRICS: 'on',
    };
    await using model = Object.assign(await startModelServer(() => reply.text('Yes.')), {
      [Symbol.asyncDispose]: () => model.close(),
    });
    await using one = await Served.start({ model: model.url, env });
    await using other = await Served.start({ env });
    await runOnce(one);
    const counted = async ({ url }: Served, direction: 'told' | 'heard') =>
      (await readMetrics(url)).get(`toolyard_bulletins_total{direction="${direction}"}`) ?? 0;
    await eventually(async () => (await counted(one, 'told')) > 0);
    await eventually(async () => (await counted(other, 'heard')) > 0);
  });
});
