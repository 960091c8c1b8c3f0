import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedMcp } from '@toolyard/testing';
import { startScriptedMcp } from '@toolyard/testing';
import { byPage, openTabOfOwn } from './places/by-page.ts';
import { inProcess } from './places/in-process.ts';
import { byApi, overHttp } from './places/over-http.ts';
import { Script } from './places/script.ts';
import { NOTES, STORIES } from './places/stories.ts';
import { call } from './support/api.ts';
import { closeBrowser, NO_BROWSER } from './support/browser.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

describe.skipIf(NO_BROWSER !== null)('the same story in a process, on a server and in a tab', () => {
  const undo = new AsyncDisposableStack();
  const script = new Script();
  let mcp: ScriptedMcp;
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    mcp = undo.use(await startScriptedMcp(NOTES, { cors: {} }));
    stage = undo.use(await setStage(script.answer));
    await call(stage.server.url, 'POST', '/api/mcp/servers', {
      id: 'notes',
      transport: { type: 'http', url: mcp.url },
    });
    page = await openTabOfOwn(stage, mcp.url);
  });
  afterAll(async () => {
    await undo.disposeAsync();
    await closeBrowser();
  });

  test.each(Object.entries(STORIES))('%s', async (name, story) => {
    const { url } = stage.server;
    const [here, there, inTab] = await Promise.all([
      inProcess(story, { script, model: { id: `${name}: process`, baseUrl: stage.model.url }, mcp: mcp.url }),
      overHttp(story, {
        script,
        url,
        model: `${name}: server`,
        tools: 'notes',
        place: 'server',
        open: async (id) => byApi(url, id),
      }),
      overHttp(story, {
        script,
        url,
        model: `${name}: tab`,
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
