import { expect, it } from 'vitest';
import type { McpServerList, McpToolDetail, Page, RunEvent, ToolResult } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call } from './support/api.ts';
import type { Life, LivesDatabase } from './support/lives.ts';
import { callsOfTurns, Lives } from './support/lives.ts';
import { ask, Person, viewOf } from './support/person.ts';
import { applied, misspelt, told } from './support/transcript.ts';

const TURNS = [1, 2, 1, 3];
const CALLS = 7;

function story(turns: readonly number[]): string[] {
  return [
    'user: Count, please.',
    ...callsOfTurns(turns).flatMap((calls) => [
      `assistant: Let me count. ${calls.map((n) => `count {"n":${n}}`).join(' ')} (tool_calls)`,
      ...calls.map(() => 'tool: counted (done)'),
    ]),
    'assistant: I have counted all there was, as you asked me to do. (stop)',
  ];
}

function withoutCount(line: string): string {
  return line.replace(/^tool: \d+ /, 'tool: counted ');
}

type Trio = { web: Life; worker: Life; tools: Life };

async function trio(lives: Lives): Promise<Trio> {
  const [web, worker, tools] = [
    await lives.start(undefined, 'web'),
    await lives.start(undefined, 'worker'),
    await lives.start(undefined, 'tools'),
  ];
  return { web, worker, tools };
}

const stateOf = async (url: string): Promise<string | undefined> =>
  (await call<McpServerList>(url, 'GET', '/api/mcp/servers')).items.find(({ id }) => id === 'counter')?.state;

describeOnPostgres('processes with roles over one database', (cluster) => {
  const database = async (more: Partial<LivesDatabase> = {}): Promise<LivesDatabase> => ({
    url: await cluster().createDatabase(),
    ...more,
  });

  /** Whoever followed the run through `person`, and whoever looks at it through the web process, sees the whole story. */
  async function expectWhole(lives: Lives, person: Person, url: string): Promise<void> {
    expect(person.events.map(({ seq }) => seq)).toEqual(person.events.map((_event, index) => index + 1));
    expect(misspelt(person.events)).toEqual([]);
    const { page, activeRun, interrupts } = await viewOf(url);
    expect({ activeRun, interrupts }).toEqual({ activeRun: null, interrupts: [] });
    expect(applied(person.events)).toEqual(page.messages);
    expect(told(page.messages).map(withoutCount)).toEqual(story(TURNS));
    expect(lives.faults).toEqual([]);
    expect(await lives.damage()).toEqual([]);
  }

  it.each([
    ['told at once', {}],
    ['without notifications, only slower', { notify: false }],
  ])(
    'what is asked and approved at the web process is done by a worker with a program of the tools process, %s',
    { timeout: 60_000 },
    async (_how, more) => {
      await using lives = await Lives.of(TURNS, { database: await database(more) });
      const { web, worker, tools } = await trio(lives);
      const person = new Person(() => ({ decision: 'failed' }), await ask(web.url));
      expect(await person.goOn(web.url)).toBe('over');
      await expectWhole(lives, person, web.url);
      expect(lives.counted).toBe(CALLS);
      for (const { url } of [worker, tools]) {
        expect((await fetch(`${url}/ready`)).status).toBe(200);
        expect((await fetch(`${url}/api/conversations`)).status).toBe(404);
        expect((await fetch(`${url}/internal/servers/tools`, { method: 'POST' })).status).toBe(404);
      }
    },
  );
});
