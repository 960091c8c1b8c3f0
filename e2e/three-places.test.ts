import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedMcp } from '@toolyard/testing';
import { needs, startScriptedMcp } from '@toolyard/testing';
import { byPage, openTabOfOwn } from './places/by-page.ts';
import { inProcess } from './places/in-process.ts';
import { byApi, overHttp } from './places/over-http.ts';
import { Script } from './places/script.ts';
import { rowsOfTable, TOLD_BY } from './places/rows.ts';
import { NOTES, STORIES } from './places/stories.ts';
import type { Story } from './places/story.ts';
import { call } from './support/api.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';
import { BROWSER } from './support/unpack-browser.ts';

const PLACES = ['process', 'server', 'tab'] as const;
const stories = Object.entries<Story>(STORIES);
/** A story has a model of its own in each place. */
const modelOf = (name: string, place: (typeof PLACES)[number]): string => `${name}: ${place}`;
const MODELS = stories.flatMap(([name, { window }]) =>
  PLACES.map((place) => ({
    id: modelOf(name, place),
    ...(window === undefined ? {} : { context_length: window }),
  })),
);

test('every row of the decision table of the loop is told by a story', () => {
  expect(Object.keys(TOLD_BY)).toEqual(rowsOfTable());
});

describe('the same story in a process, on a server and in a tab', needs(BROWSER), () => {
  let undo: AsyncDisposableStack;
  let script: Script;
  let mcp: ScriptedMcp;
  let stage: Stage;
  let page: Page;

  async function begin(): Promise<void> {
    undo = new AsyncDisposableStack();
    script = new Script();
    mcp = undo.use(await startScriptedMcp(NOTES, { cors: {} }));
    stage = undo.use(await setStage(script.answer, { models: MODELS }));
    await call(stage.server.url, 'POST', '/api/mcp/servers', {
      id: 'notes',
      transport: { type: 'http', url: mcp.url },
    });
    page = await openTabOfOwn(stage, mcp.url);
  }

  beforeAll(begin);
  // A story that failed leaves runs under way, and calls that count: it is told again where nothing was told before.
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await undo.disposeAsync();
    await begin();
  });
  afterAll(() => undo.disposeAsync());

  test.each(stories)('%s', async (name, story) => {
    const { url } = stage.server;
    const [here, there, inTab] = await Promise.all([
      inProcess(story, { script, model: { id: modelOf(name, 'process'), baseUrl: stage.model.url }, mcp: mcp.url }),
      overHttp(story, {
        script,
        url,
        model: modelOf(name, 'server'),
        tools: 'notes',
        place: 'server',
        open: async (id) => byApi(url, id),
      }),
      overHttp(story, {
        script,
        url,
        model: modelOf(name, 'tab'),
        tools: 'browser-notes',
        place: 'browser',
        open: (id) => byPage(page, stage.line.url, id),
      }),
    ]);
    expect(there).toEqual(here);
    expect(inTab).toEqual(here);
    expect(stage.complaints).toEqual([]);
  });
});
