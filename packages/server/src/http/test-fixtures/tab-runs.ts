import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE } from '@toolyard/storage';
import type { LeasedTabRun, JsonObject, RunEvent } from '@toolyard/protocol';
import { RUN_EVENT_VERSION, TAB_RUNS_VERSION as v } from '@toolyard/protocol';
import { afterEach, beforeEach } from 'vitest';
import type { RunBench, RunBenchOptions } from '../../runs/test-fixtures/setup.ts';
import { ANNE, BERT, cleanUp, openBench, temporaryFolder } from '../../runs/test-fixtures/setup.ts';
import { says, scriptedModel } from '../../runs/test-fixtures/scripted-model.ts';
import type { TestResponse, TestServer } from './test-server.ts';
import * as door from './test-server.ts';

/** Initial state of every test: run `r` of Anne, leased by the tab `tab-1`. */
type TabScene = {
  bench: RunBench;
  server: TestServer;
  /** The server's database, opened directly. */
  database: DatabaseSync;
  held: LeasedTabRun;
};

/** Id of the run's answer message. */
export const answerId = 'r.0';

export const TOOL = { serverId: 'browser-notes', name: 'note', origin: 'tab' as const };
/** The call of the answer in {@link calling}, and an approval of it. */
const CALL = { callId: `${answerId}.0`, tool: TOOL, name: 'note', arguments: {} };
export const APPROVAL = { kind: 'approval', ...CALL };

export function event(body: object, seq = 1): RunEvent {
  return { v: RUN_EVENT_VERSION, seq, runId: 'r', step: 0, attempt: 1, at: 5, ...body } as RunEvent;
}

export const began = (message: object | null): RunEvent =>
  event({ type: 'run_started', conversationId: 'c', place: 'browser', model: 'scripted-1', message });

export const delta = (text: string, seq = 1): RunEvent => event({ type: 'text_delta', messageId: answerId, text }, seq);

const saying = (more: object = {}): object => ({
  id: answerId,
  parentId: 'r',
  createdAt: 5,
  role: 'assistant',
  runId: 'r',
  model: 'scripted-1',
  finishReason: 'stop',
  parts: [{ type: 'text', text: 'Forged' }],
  ...more,
});
export const message = (more: object, conversationId = 'c'): object => ({
  messages: [{ conversationId, message: saying(more) }],
});

/** The answer with this call, as a commit contains it. */
export const calling = (call: object = {}): object =>
  message({ finishReason: 'tool_calls', parts: [{ type: 'tool_call', ...CALL, ...call }] });

/** A run in a tab for each test, and requests by the tabs of Anne and Bert. `options`: what the server has for the run. */
export function useTabScene(options: Partial<RunBenchOptions> = {}) {
  const scene = {} as TabScene;

  beforeEach(async () => {
    const folder = temporaryFolder();
    const bench = await openBench(folder, { model: scriptedModel([says('Hello.')]), ...options });
    const { storage, runs, hub, streams } = bench;
    const server = await door.startTestServer({
      security: { tokens: [door.ANNE, door.BERT] },
      change: { storage, runs, hub, streams },
    });
    Object.assign(scene, { bench, server });
    await bench.conversation('c');
    await bench.conversation('other');
    await bench.conversation('of-bert', BERT);
    scene.held = (await begin('tab-1', 'r')).json as unknown as LeasedTabRun;
    scene.database = new DatabaseSync(join(folder, DATABASE_FILE));
  });
  afterEach(async () => {
    scene.database.close();
    await scene.server.close();
    await cleanUp();
  });

  const post = (path: string, json: unknown, who = door.ANNE): Promise<TestResponse> =>
    scene.server.ask(path, { json, headers: door.as(who) });
  const begin = (tab: string, id: string, conversationId = 'c'): Promise<TestResponse> =>
    post(`/api/tabs/${tab}/runs`, { v, conversationId, id, parts: [{ type: 'text', text: 'Hi' }] });
  const renew = (tab: string, fence: number, run = 'r', who = door.ANNE): Promise<TestResponse> =>
    post(`/api/tabs/${tab}/runs/${run}/lease`, { fence }, who);
  /** The tab offers its tool to the conversation. */
  async function offer(tabId = 'tab-1'): Promise<void> {
    const tools = [{ name: TOOL.name, inputSchema: { type: 'object' } }];
    const servers = [{ id: TOOL.serverId, url: 'http://n', tools }];
    await scene.bench.storage.tabs.offer(ANNE, { tabId, conversationId: 'c', servers, seenUntil: 1e15, at: 5 });
  }
  const take = (tab: string): Promise<TestResponse> => post(`/api/tabs/${tab}/runs/r/claim`, { v });
  const commit = (more: object, { tab = 'tab-1', run = 'r', who = door.ANNE } = {}): Promise<TestResponse> =>
    post(
      `/api/tabs/${tab}/runs/${run}/commit`,
      { v, fence: scene.held.fence, number: 1, baseSeq: 0, events: [], ...more },
      who,
    );

  /** The current state with these changes. */
  function state(change: object, more: object = {}): JsonObject {
    const { point } = scene.held.state as { point: { state: object; context: object } };
    return { ...scene.held.state, point: { ...point, state: { ...point.state, ...change } }, ...more } as JsonObject;
  }

  const calls = (): unknown[] => scene.database.prepare('SELECT * FROM usage_sums').all();

  /** Everything a commit could have changed. */
  async function everything(): Promise<unknown> {
    const { storage } = scene.bench;
    return {
      run: storage.runs.getRun(ANNE, 'r'),
      events: scene.bench.events('r'),
      ledger: storage.runs.readLedger(ANNE, 'r'),
      interrupts: storage.runs.listInterrupts(ANNE, { limit: 99 }),
      messages: [
        await scene.bench.all('c'),
        await scene.bench.all('other'),
        await storage.messages.all(BERT, 'of-bert'),
      ],
      leaf: (await storage.conversations.get(ANNE, 'c'))?.leafId,
      usage: calls(),
    };
  }

  return { scene, post, begin, renew, offer, take, commit, state, calls, everything };
}
