import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { createAgent } from '@toolyard/agent-host/node';
import type { ConversationView, Message, RunEvent, RunLimits, RunRecord, StoredInterrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelReply, ModelScript } from '@toolyard/testing';
import { eventually, reply, startModelServer, startScriptedMcp } from '@toolyard/testing';
import { call, readRun } from './support/api.ts';
import { closeBrowser, NO_BROWSER } from './support/browser.ts';
import { chatPage } from './support/chat-page.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';
import { told } from './support/transcript.ts';

/** One row of the brain's decision table, or several in a row: what the model says turn by turn, and the person. */
type Scenario = {
  replies: readonly (() => ModelReply)[];
  limits?: Partial<RunLimits>;
  /** What is said to every question; default yes, once. */
  says?: 'approve' | 'refuse';
};

const calls = (...names: string[]): ModelReply => reply.toolCalls(names.map((name) => ({ name, arguments: {} })));
const done = (): ModelReply => reply.text('Done.');

const SCENARIOS: Record<string, Scenario> = {
  'the model writes text': { replies: [done] },
  'the model asks for a tool': { replies: [() => calls('jot'), done] },
  'the model asks for several': { replies: [() => calls('jot', 'look'), done] },
  'the model asks again and again': { replies: [() => calls('jot'), () => calls('look'), done] },
  'the person refuses': { replies: [() => calls('jot'), () => reply.text('Then not.')], says: 'refuse' },
  'the tool fails': { replies: [() => calls('fail'), () => reply.text('It failed.')] },
  'the tool is unknown': { replies: [() => calls('qqqqqqqqqqqqqqqqqqqq'), done] },
  'the arguments cannot be read': {
    replies: [() => reply.toolCalls([{ name: 'jot', arguments: '{"note": ' }]), done],
  },
  'the turns are used up': { replies: [() => calls('jot'), () => calls('jot')], limits: { maxTurns: 1 } },
  'the last turn has to answer': { replies: [() => calls('jot'), done], limits: { maxTurns: 2 } },
  'the same call too often': { replies: [() => calls('jot'), () => calls('jot')], limits: { maxSameCall: 1 } },
  'the model writes nothing': { replies: [() => reply.text('')] },
  'the model fails': { replies: [() => reply.error(400, { error: { message: 'no such thing' } })] },
};

const NOTES: McpBehaviour = {
  tools: [
    { name: 'jot', does: [{ do: 'text', text: 'jotted' }] },
    { name: 'look', does: [{ do: 'text', text: 'looked' }] },
    { name: 'fail', does: [{ do: 'fail', text: 'the disk is full' }] },
  ],
};

type Story = { told: string[]; status: string; code: string | undefined };

/** By what was said already, so that every place is answered alike. */
function scriptOf({ replies }: Scenario): ModelScript {
  return ({ body }) => {
    const { messages } = body as { messages: { role: string }[] };
    const said = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    return (replies[said.filter(({ role }) => role === 'assistant').length] ?? done)();
  };
}

function storyOf(messages: readonly Message[], events: readonly RunEvent[]): Story {
  const end = events.find((event) => event.type === 'run_finished');
  return { told: told(messages), status: end?.status ?? 'none', code: end?.error?.code };
}

async function inProcess(scenario: Scenario, url: string): Promise<Story> {
  await using model = await startModelServer(scriptOf(scenario));
  await using agent = await createAgent({
    model: { baseUrl: model.url, id: 'scripted' },
    servers: [{ id: 'notes', transport: { type: 'http', url } }],
    approve: () =>
      Promise.resolve(
        scenario.says === 'refuse' ? { decision: 'refuse' } : { decision: 'approve', scope: 'once' as const },
      ),
    ...(scenario.limits ? { limits: scenario.limits } : {}),
  });
  const run = agent.run('Go');
  run.result.catch(() => undefined);
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  await run.result.catch(() => undefined);
  return storyOf(agent.messages, events);
}

/** Answers whatever is asked until the run is over. */
async function toItsEnd(url: string, place: RunRecord['place'], { says }: Scenario): Promise<Story> {
  const answer = says === 'refuse' ? { decision: 'refuse', scope: 'once' } : { decision: 'approve', scope: 'once' };
  const run = await eventually(
    async () => {
      const { items } = await call<{ items: StoredInterrupt[] }>(url, 'GET', '/api/interrupts');
      for (const { id } of items) {
        await call(url, 'POST', `/api/interrupts/${id}/answer`, { answer }).catch(() => undefined);
      }
      const [first] = (await call<{ items: RunRecord[] }>(url, 'GET', '/api/runs')).items;
      if (first?.endedAt == null) throw new Error('the run goes on');
      return first;
    },
    { what: 'the end of the run', timeoutMs: 15_000 },
  );
  expect(run.place).toBe(place);
  const events: RunEvent[] = [];
  await readRun(url, run.id, events);
  const { page } = await call<ConversationView>(url, 'GET', `/api/conversations/${run.conversationId}`);
  return storyOf(page.messages, events);
}

async function onStage(scenario: Scenario, work: (stage: Stage, url: string) => Promise<Story>): Promise<Story> {
  await using stage = await setStage(scriptOf(scenario));
  const { url } = stage.server;
  // A process has the servers it is given and no others.
  const defaults = { servers: { date: false, person: false }, ...(scenario.limits ? { limits: scenario.limits } : {}) };
  await call(url, 'PUT', '/api/settings/defaults', defaults);
  return await work(stage, url);
}

const onServer = (scenario: Scenario, mcp: string): Promise<Story> =>
  onStage(scenario, async (_stage, url) => {
    await call(url, 'POST', '/api/mcp/servers', { id: 'notes', transport: { type: 'http', url: mcp } });
    const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', {});
    await call(url, 'POST', `/api/conversations/${id}/messages`, { parts: [{ type: 'text', text: 'Go' }] });
    return toItsEnd(url, 'server', scenario);
  });

const inTab = (scenario: Scenario, mcp: string): Promise<Story> =>
  onStage(scenario, async (stage, url) => {
    const page: Page = await stage.open();
    await page.evaluate((at) => {
      const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url: at };
      localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
      localStorage.setItem('toolyard:run-place:1', '"tab"');
    }, mcp);
    await page.reload();
    await page.getByLabel('Where the answers are made').waitFor();
    await chatPage(page).send('Go');
    const story = await toItsEnd(url, 'browser', scenario);
    expect(stage.complaints).toEqual([]);
    return story;
  });

describe.skipIf(NO_BROWSER !== null)('the same story in a process, on a server and in a tab', () => {
  afterAll(() => closeBrowser());

  test.each(Object.entries(SCENARIOS))('%s', async (_name, scenario) => {
    await using mcp = await startScriptedMcp(NOTES, { cors: {} });
    const here = await inProcess(scenario, mcp.url);
    expect(await onServer(scenario, mcp.url)).toEqual(here);
    expect(await inTab(scenario, mcp.url)).toEqual(here);
  });
});
