import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ProviderView, RunRecord, SentRequest, StoredInterrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelScript, ScriptedMcp } from '@toolyard/testing';
import { COUNT_FILE_VARIABLE, eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { describeOnSharedPage, SMALL_WINDOW } from './support/shared-page.ts';
import type { Stage } from './support/stage.ts';
import { setProcessStage, setStage, signInFragment } from './support/stage.ts';

type ModelRequestBody = { messages: { role: string; content: unknown }[]; tools?: { function: { name: string } }[] };

/** Answers are held in the middle of a word until a test releases them. */
let slowlyOn = Promise.withResolvers<void>();

const ARGUMENTS: Record<string, Record<string, string>> = {
  ask_user: { question: 'Which city?' },
  calculate: { expression: '0.1 + 0.2' },
  run_javascript: { code: 'console.log(typeof fetch); [6 * 7]' },
};

const callsNamed: ModelScript = ({ body }) => {
  const { messages, tools = [] } = body as ModelRequestBody;
  const last = messages.at(-1);
  if (last?.role === 'tool') return reply.text(`It said: ${JSON.stringify(last.content)}`);
  const said = JSON.stringify(last?.content);
  if (said.includes('slowly')) {
    return reply.text('word '.repeat(60), { pieces: 5, hold: { behind: 10, until: slowlyOn.promise } });
  }
  const wanted = tools.find(({ function: { name } }) => said.includes(name));
  if (!wanted) return reply.text('Nothing to call.');
  const { name } = wanted.function;
  return reply.toolCalls([{ name, arguments: ARGUMENTS[name] ?? {} }]);
};

/** What the browser logs about a server that answers other origins. */
const EXPECTED = /CORS policy/;

let peer: ScriptedMcp;
beforeAll(async () => {
  peer = await startScriptedMcp({ tools: [{ name: 'jot', does: [{ do: 'text', text: 'jotted' }] }] }, { cors: {} });
});
afterAll(() => peer[Symbol.asyncDispose]());

const toolCalls = (): number => peer.received.filter(({ method }) => method === 'tools/call').length;

/** A page whose runs are in the tab, which has a server. */
async function open(options?: BrowserContextOptions): Promise<{ stage: Stage; page: Page }> {
  slowlyOn = Promise.withResolvers();
  const stage = await setStage(callsNamed);
  // A small page of the server: the browser's storage is filled before the page is loaded, once.
  const page = await stage.open('/health', options);
  await page.evaluate((url) => {
    const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
    localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
    localStorage.setItem('toolyard:run-place:1', '"tab"');
  }, peer.url);
  await page.goto(stage.line.url + (await signInFragment(stage.server.url)));
  await page.getByLabel('Run answers').waitFor();
  return { stage, page };
}

/** Newest first. */
async function listRuns(stage: Stage): Promise<RunRecord[]> {
  return (await call<{ items: RunRecord[] }>(stage.server.url, 'GET', '/api/runs')).items;
}

function becomes(stage: Stage, status: RunRecord['status']): Promise<void> {
  const isSo = async () => expect((await listRuns(stage))[0]).toMatchObject({ place: 'browser', status });
  return eventually(isSo, { what: status });
}

describeOnSharedPage('a run in a tab', { open: () => open(SMALL_WINDOW), expected: EXPECTED }, (shared) => {
  test('asks, calls and answers like one on the server, and shows where it executes', async () => {
    const { stage, page } = shared;
    const before = toolCalls();
    const chat = chatPage(page);
    await chat.send('Please jot it down');
    await page.getByText('This answer runs in this tab').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads(/It said: .*jotted/);
    await becomes(stage, 'done');
    expect(toolCalls()).toBe(before + 1);
    await chat.path();
    await page.reload();
    await chatPage(page).reads(/It said: .*jotted/);
    const used = await call<unknown>(stage.server.url, 'GET', '/api/usage');
    expect(used).toMatchObject({ total: { modelCalls: 2, toolCalls: 1 } });
    // Its steps show the requests to the model, like those of a run on the server.
    const [run] = await listRuns(stage);
    const sent = await call<SentRequest>(stage.server.url, 'GET', `/api/runs/${run?.id ?? ''}/steps/0/request`);
    expect(sent.tools?.map(({ name }) => name)).toContain('jot');
    await page.getByRole('button', { name: 'Steps' }).click();
    const sheet = page.getByRole('dialog', { name: 'Steps of this answer' });
    const steps = sheet.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await steps.last().getByRole('button').first().click();
    await sheet.getByRole('button', { name: 'Show request' }).click();
    await sheet.getByText(/^[0-9]+ tools?$/).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });

  test('executes a built-in tool itself', async () => {
    const { stage, page } = shared;
    const before = toolCalls();
    const chat = chatPage(page);
    await chat.send('Please use ask_user');
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await field.fill('Bern');
    await field.press('Enter');
    await chat.reads(/It said: .*Bern/);
    await becomes(stage, 'done');
    expect(toolCalls()).toBe(before);
  });

  test('computes in this tab, in a worker without access to the network', async () => {
    const { stage, page } = shared;
    const chat = chatPage(page);
    await chat.send('Please use run_javascript');
    await chat.reads(/It said: .*undefined.*\[ 42 \]/);
    await chat.send('Please use calculate');
    await chat.reads(/It said: .*0\.3/);
    await becomes(stage, 'done');
  });

  test('continues where it started after an answer in another tab', async () => {
    const { stage, page } = shared;
    await chatPage(page).send('Please jot it down');
    await becomes(stage, 'parked');
    const interrupts = await call<{ items: StoredInterrupt[] }>(stage.server.url, 'GET', '/api/interrupts');
    const answer = { answer: { decision: 'approve', scope: 'once' } };
    await call(stage.server.url, 'POST', `/api/interrupts/${interrupts.items[0]?.id ?? ''}/answer`, answer);
    await chatPage(page).reads(/It said: .*jotted/);
    await becomes(stage, 'done');
  });

  test('regenerates answers and edits messages where the user chose', async () => {
    const { stage, page } = shared;
    const before = (await listRuns(stage)).length;
    const chat = chatPage(page);
    await chat.send('Say one');
    await chat.reads('Nothing to call.');
    await becomes(stage, 'done');
    await chat.messages.getByRole('button', { name: 'Regenerate' }).click();
    await eventually(async () => expect(await listRuns(stage)).toHaveLength(before + 2), { what: 'the second answer' });
    await becomes(stage, 'done');
    await chat.waitUntilIdle();
    await chat.messages.getByText('2/2', { exact: true }).or(chat.messages.getByText('2 / 2')).first().waitFor();
    await chat.messages.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByRole('textbox', { name: 'Edit message' }).fill('Say two');
    await page.getByRole('textbox', { name: 'Edit message' }).press('Enter');
    await eventually(async () => expect(await listRuns(stage)).toHaveLength(before + 3), { what: 'the third answer' });
    await becomes(stage, 'done');
    expect((await listRuns(stage)).slice(0, 3).map(({ place }) => place)).toEqual(['browser', 'browser', 'browser']);
  });

  test('can be stopped', async () => {
    const { stage, page } = shared;
    slowlyOn = Promise.withResolvers();
    await chatPage(page).send('Speak slowly');
    await chatPage(page).reads('word word');
    await chatPage(page).stop();
    await becomes(stage, 'cancelled');
    await chatPage(page).waitUntilIdle();
  });
});

// Each with a page of its own, because it closes the page, changes its requests, or approves for all chats.
describeInBrowser('a run in a tab of its own', () => {
  let stage: Stage;
  let page: Page;
  beforeEach(async () => {
    ({ stage, page } = await open());
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    await stage[Symbol.asyncDispose]();
    expect(stage.complaints.filter((text) => !EXPECTED.test(text))).toEqual([]);
  });

  test('decides what a group does; its members execute on the server, with the tools of the tab', async () => {
    const before = toolCalls();
    const api = <T = unknown>(path: string, body: object): Promise<T> => call<T>(stage.server.url, 'POST', path, body);
    const { items } = await call<{ items: ProviderView[] }>(stage.server.url, 'GET', '/api/providers');
    const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    const model = { providerId, modelId: 'scripted' };
    for (const id of ['ada', 'bob']) {
      await api('/api/agents', { id, title: id === 'ada' ? 'Ada' : 'Bob', configuration: { model } });
    }
    const members = [{ agentId: 'ada' }, { agentId: 'bob' }];
    await api('/api/groups', { id: 'pair', title: 'Pair', members, mode: { kind: 'fixed_order' } });
    await api('/api/conversations', { id: 'group-chat', groupId: 'pair', configuration: { model } });
    await page.goto(`${stage.line.url}/c/group-chat`);
    const chat = chatPage(page);
    await chat.send('Please jot it down');
    const asked = await eventually(
      async () => (await call<{ items: StoredInterrupt[] }>(stage.server.url, 'GET', '/api/interrupts')).items[0],
      { what: 'the approval of a member' },
    );
    await api(`/api/interrupts/${asked.id}/answer`, { answer: { decision: 'approve', scope: 'always' } });
    await eventually(
      async () => expect((await listRuns(stage)).map(({ status }) => status)).toEqual(['done', 'done', 'done']),
      {
        what: 'the end of the group and its members',
      },
    );
    const [parent] = (await listRuns(stage)).filter(({ parentRunId }) => parentRunId === null);
    expect(parent).toMatchObject({ place: 'browser', conversationId: 'group-chat' });
    const children = (await listRuns(stage)).filter(({ parentRunId }) => parentRunId === parent?.id);
    expect(children.map(({ place }) => place)).toEqual(['server', 'server']);
    expect(toolCalls()).toBeGreaterThan(before);
    await chat.reads(/It said: .*jotted/);
  });

  test('continues in another tab after its own was closed, if the user wants that', async () => {
    await chatPage(page).send('Speak slowly');
    await chatPage(page).reads('word word');
    const path = await chatPage(page).path();
    await page.reload();
    const other = await stage.openBeside(page, path);
    await page.close();
    await other.getByText('runs in another tab').waitFor();
    expect((await listRuns(stage))[0]).toMatchObject({ status: 'running' });
    await other.getByRole('button', { name: 'Continue here' }).click();
    slowlyOn.resolve();
    await becomes(stage, 'done');
    await chatPage(other).waitUntilIdle();
  });

  test('resumes after a reconnect if the response to its creation was lost', async () => {
    const lost = Promise.withResolvers<void>();
    const loseTheAnswer = async (route: Route): Promise<void> => {
      await route.fetch();
      // Before the tab reconnects: its retry follows soon and must fail.
      stage.line.cut();
      await route.abort();
      lost.resolve();
    };
    await page.route('**/api/tabs/*/runs', loseTheAnswer, { times: 1 });
    await chatPage(page).send('Say one');
    await lost.promise;
    expect(await listRuns(stage)).toMatchObject([{ status: 'running', lastSeq: 0 }]);
    stage.line.mend();
    await becomes(stage, 'done');
    await chatPage(page).reads('Nothing to call.');
    expect(await listRuns(stage)).toHaveLength(1);
  });

  test('asks for a reload if the page is older than its server, and continues after it', async () => {
    await page.route('**/commit', (route) => {
      const body = route.request().postDataJSON() as { number?: number; v?: number };
      delete body.number;
      delete body.v;
      return route.continue({ postData: JSON.stringify(body) });
    });
    await chatPage(page).send('Say one');
    await page.getByText('This page is older than the server.').waitFor();
    await page.unroute('**/commit');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Continue here' }).click();
    await becomes(stage, 'done');
    await chatPage(page).reads('Nothing to call.');
    expect(await listRuns(stage)).toHaveLength(1);
  });
});

describeInBrowser('a run in a tab without servers of the browser', () => {
  let undo: AsyncDisposableStack;
  let stage: Stage;
  let page: Page;
  let options: NonNullable<Parameters<typeof setStage>[1]>;
  let counted: () => number;
  let letToolAnswer: () => void;

  beforeEach(() => {
    undo = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-tab-runs-'));
    undo.defer(() => rmSync(folder, { recursive: true, force: true }));
    const [countFile, goOn] = [join(folder, 'count'), join(folder, 'go-on')];
    counted = () => (existsSync(countFile) ? statSync(countFile).size : 0);
    letToolAnswer = () => writeFileSync(goOn, '');
    const behaviour: McpBehaviour = {
      tools: [
        { name: 'jot', does: [{ do: 'count' }, { do: 'text', text: 'jotted' }] },
        {
          name: 'dig',
          does: [{ do: 'count' }, { do: 'wait_for_file', file: goOn }, { do: 'text', text: 'dug up' }],
        },
      ],
    };
    options = { servers: { notes: { behaviour, env: { [COUNT_FILE_VARIABLE]: countFile } } } };
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    await undo.disposeAsync();
    expect(stage.complaints).toEqual([]);
  });

  /** A new browser, whose user chooses the tab. */
  async function choose(opened: Stage): Promise<void> {
    stage = undo.use(opened);
    const chat = { id: 'chat', configuration: { servers: { memory: true } } };
    await call(stage.server.url, 'POST', '/api/conversations', chat);
    page = await stage.open('/c/chat');
    await page.getByRole('button', { name: /^Tools/ }).click();
    await page.getByLabel('Run answers').selectOption('In this tab');
    await page.keyboard.press('Escape');
  }
  const allow = (): Promise<void> => page.getByRole('button', { name: 'Allow once' }).first().click();
  const begun = (): Promise<void> => eventually(() => expect(counted()).toBe(1), { what: 'the call' });

  test('calls tools of the server as the server decides', async () => {
    await choose(await setStage(callsNamed, options));
    const chat = chatPage(page);
    await chat.send('Please jot it down');
    await page.getByText('This answer runs in this tab').waitFor();
    expect(counted()).toBe(0);
    await allow();
    await chat.reads(/It said: .*jotted/);
    await becomes(stage, 'done');
    await chat.send('Please recall it');
    await chat.reads(/It said: .*Nothing is remembered/);
    await becomes(stage, 'done');
    expect(counted()).toBe(1);
    const used = await call<unknown>(stage.server.url, 'GET', '/api/usage');
    expect(used).toMatchObject({ total: { modelCalls: 4, toolCalls: 2 } });
  });

  test('waits after a reload for the call that it has begun', async () => {
    await choose(await setStage(callsNamed, options));
    await chatPage(page).send('Please dig');
    await allow();
    await begun();
    await page.reload();
    await page.getByRole('button', { name: 'Continue here' }).click();
    await page.getByText('This answer runs in this tab').waitFor();
    letToolAnswer();
    await chatPage(page).reads(/It said: .*dug up/);
    await becomes(stage, 'done');
    expect(counted()).toBe(1);
  });

  test('asks about a call whose server was killed, and repeats it only for the user', async () => {
    const killed = await setProcessStage(callsNamed, options);
    await choose(killed);
    await chatPage(page).send('Please dig');
    await allow();
    await begun();
    await killed.server.restart();
    await page.getByRole('button', { name: 'Continue here' }).click();
    await becomes(stage, 'parked');
    expect(counted()).toBe(1);
    const { items } = await call<{ items: StoredInterrupt[] }>(stage.server.url, 'GET', '/api/interrupts');
    const asked = items.filter(({ status }) => status === 'open');
    expect(asked.map(({ interrupt }) => interrupt.kind)).toEqual(['in_doubt']);
    letToolAnswer();
    const answer = { answer: { decision: 'repeat' } };
    await call(stage.server.url, 'POST', `/api/interrupts/${asked[0]?.id ?? ''}/answer`, answer);
    await chatPage(page).reads(/It said: .*dug up/);
    expect(counted()).toBe(2);
  });
});
