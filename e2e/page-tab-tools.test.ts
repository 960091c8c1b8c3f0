import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunRecord, StoredInterrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelScript, ScriptedMcp } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { stopBrowser } from './support/browser.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setProcessStage, setStage, signInFragment } from './support/stage.ts';

type ModelRequestBody = { messages: { role: string; content: unknown }[]; tools?: { function: { name: string } }[] };

/** Calls the tool the user names, and answers with its result. */
const callsNamed: ModelScript = ({ body }) => {
  const { messages, tools = [] } = body as ModelRequestBody;
  const last = messages.at(-1);
  if (last?.role === 'tool') return reply.text(`It said: ${JSON.stringify(last.content)}`);
  const wanted = tools.find(({ function: { name } }) => JSON.stringify(last?.content).includes(name));
  return wanted ? reply.toolCalls([{ name: wanted.function.name, arguments: {} }]) : reply.text('Nothing to call.');
};

/** `slowly` answers once this file exists. */
const notes = (goOn: string): McpBehaviour => ({
  serverInfo: { name: 'notes', version: '1.0.0' },
  tools: [
    { name: 'jot', does: [{ do: 'count' }, { do: 'text', text: 'jotted' }] },
    {
      name: 'slowly',
      does: [{ do: 'count' }, { do: 'wait_for_file', file: goOn }, { do: 'text', text: 'slowly jotted' }],
    },
    { name: 'stuck', does: [{ do: 'count' }, { do: 'never' }] },
    {
      name: 'choose',
      does: [
        {
          do: 'request',
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Which colour?',
            requestedSchema: { type: 'object', properties: { colour: { type: 'string', title: 'Colour' } } },
          },
        },
        { do: 'tell_answers' },
      ],
    },
  ],
});

describeInBrowser('a tool of a tab', () => {
  let undo = new AsyncDisposableStack();
  let peer: ScriptedMcp;
  let stage: Stage;
  let page: Page;
  let counted: () => number;
  let letToolAnswer: () => void;

  beforeEach(async () => {
    undo = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-tab-tools-'));
    undo.defer(() => rmSync(folder, { recursive: true, force: true }));
    const countFile = join(folder, 'count');
    counted = () => {
      try {
        return readFileSync(countFile).length;
      } catch {
        return 0;
      }
    };
    const goOn = join(folder, 'go-on');
    letToolAnswer = () => writeFileSync(goOn, '');
    peer = undo.use(await startScriptedMcp(notes(goOn), { cors: {}, countFile }));
    await openPage(await setStage(callsNamed));
  });

  async function openPage(opened: Stage): Promise<void> {
    const before = listed();
    stage = undo.use(opened);
    // A small page of the server: the browser's storage is filled before the page is loaded, once.
    page = await stage.open('/health');
    await page.evaluate((url) => {
      const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
      localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
    }, peer.url);
    await page.goto(stage.line.url + (await signInFragment(stage.server.url)));
    await connected(before);
  }

  afterEach(async (context) => {
    if (context.task.result?.state === 'fail') await stage.screenshot(context.task.name);
    await undo.disposeAsync();
    expect(stage.complaints.filter((text) => !/CORS policy/.test(text))).toEqual([]);
  });

  /** A message waits a few seconds for connecting servers, and no longer. */
  const connected = (before: number): Promise<void> =>
    eventually(() => expect(listed()).toBeGreaterThan(before), { what: 'the connection to the server of the tab' });
  const listed = (): number => peer.answered.filter((method) => method === 'tools/list').length;
  const run = async (): Promise<RunRecord | undefined> =>
    (await call<{ items: RunRecord[] }>(stage.server.url, 'GET', '/api/runs')).items[0];
  const becomes = (status: RunRecord['status']): Promise<void> =>
    eventually(async () => expect((await run())?.status).toBe(status), { what: status });
  const interrupts = async (): Promise<StoredInterrupt[]> =>
    (await call<{ items: StoredInterrupt[] }>(stage.server.url, 'GET', '/api/interrupts')).items;
  const allow = (at = page): Promise<void> => at.getByRole('button', { name: 'Allow once' }).first().click();
  const begun = (): Promise<void> => eventually(() => expect(counted()).toBe(1), { what: 'the call' });

  test('is approved, called from one of two tabs, and asks the user in the chat', async () => {
    const chat = chatPage(page);
    await chat.send('Please jot it down');
    await allow();
    await chat.reads(/It said: .*jotted/);
    expect(counted()).toBe(1);
    await becomes('done');

    await chat.send('Please choose one');
    await allow();
    await page.getByLabel('Colour').fill('red');
    await page.getByRole('button', { name: 'Send', exact: true }).last().click();
    await chat.reads(/It said: .*red/);
    await chat.anew();

    await chat.send('Hello');
    await chat.reads('Nothing to call.');
    const beside = await stage.openBeside(page, await chat.path());
    await chatPage(beside).reads('Nothing to call.');
    await chat.send('Please jot it down');
    await allow(beside);
    await chat.reads(/It said: .*jotted/);
    await chatPage(beside).reads(/It said: .*jotted/);
    expect(counted()).toBe(2);
  });

  test('waits while no tab is open, and is called once one opens', async () => {
    await chatPage(page).send('Please jot it down');
    await becomes('parked');
    const path = await chatPage(page).path();
    const other = await stage.openBeside(page, '/settings');
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    await other.evaluate(() => localStorage.removeItem('toolyard:mcp-servers:1'));
    await other.close();
    const [asked] = await interrupts();
    const answer = { answer: { decision: 'approve', scope: 'once' } };
    await call(stage.server.url, 'POST', `/api/interrupts/${asked?.id ?? ''}/answer`, answer);
    await becomes('waiting_for_tab');

    const elsewhere = await stage.open(path);
    await elsewhere.getByText('Waiting for a tab with').waitFor();
    await elsewhere.evaluate((url) => {
      const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
      localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
    }, peer.url);
    await elsewhere.reload();
    await chatPage(elsewhere).reads(/It said: .*jotted/);
    expect(counted()).toBe(1);
  });

  test('cut off by a reload asks the user, and is not called again by itself', async () => {
    await chatPage(page).send('You are stuck');
    await allow();
    await begun();
    await chatPage(page).path();
    await page.reload();
    await becomes('parked');
    expect((await interrupts()).map(({ interrupt }) => interrupt.kind)).toEqual(['in_doubt']);
    await chatPage(page).card('stuck').first().waitFor();
    expect(counted()).toBe(1);
  });

  test('cut off by closing the tab asks the user', async () => {
    await chatPage(page).send('You are stuck');
    await allow();
    await begun();
    // A browser that is slow to close lets the page see the end of its own connections.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))");
    await becomes('parked');
    await page.close();
    expect((await interrupts()).map(({ interrupt }) => interrupt.kind)).toEqual(['in_doubt']);
  });

  test('continues after a suspended laptop resumes, and is called once', async () => {
    const chat = chatPage(page);
    await chat.send('Do it slowly');
    await allow();
    await begun();
    const wake = await stopBrowser(page);
    try {
      // The tool answers while no client is connected.
      letToolAnswer();
      await eventually(() => expect(peer.answered).toContain('tools/call'));
      expect((await run())?.status).toBe('running');
    } finally {
      // A suspended browser could not even be closed.
      wake();
    }
    await chat.reads(/It said: .*slowly jotted/);
    expect(counted()).toBe(1);
  });

  test('is called by a run that another server recovered after a kill', async () => {
    const killed = await setProcessStage(callsNamed);
    await openPage(killed);
    const chat = chatPage(page);
    await chat.send('Do it slowly');
    await allow();
    await begun();
    await killed.server.restart();
    letToolAnswer();
    await chat.reads(/It said: .*slowly jotted/);
    expect(counted()).toBe(1);
  });
});
