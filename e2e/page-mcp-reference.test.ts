import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { eventually, ownPort } from '@toolyard/testing';
import { describeTab, draftOf, openTab } from './support/tab.ts';
import type { TabStore } from './support/tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** The reference server of MCP, in a process of its own. */
async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<AsyncDisposable & { origin: string }> {
  const port = await ownPort();
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING, transport], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${String(port)}`;
  await eventually(() => fetch(origin, { method: 'OPTIONS' }).then(() => true));
  return {
    origin,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describeTab('the reference server, in a browser', (undo) => {
  test.each([
    ['streamableHttp', '/mcp', 'http', false],
    ['streamableHttp', '/mcp', 'http', true],
    ['sse', '/sse', 'sse', false],
    ['sse', '/sse', 'sse', true],
  ] as const)(
    'over %s%s (%s, by way of the proxy: %s) offers tools, prompts and resources',
    async (kind, path, transport, useProxy) => {
      const peer = undo.use(await startEverything(kind));
      const { page, add, health } = undo.use(await openTab([peer.origin]));
      const id = await add(draftOf('Everything', `${peer.origin}${path}`, { transport, useProxy }));
      expect(await health(id)).toMatchObject({ state: 'ready' });
      expect((await health(id))?.toolCount).toBeGreaterThan(5);
      const found = await page.evaluate(async (of) => {
        const echo = await mcpStore.executeTool({ serverId: of, name: 'echo' }, { message: 'hello' });
        const { prompts } = await mcpStore.getAllPrompts();
        const image = await mcpStore.executeTool({ serverId: of, name: 'get-tiny-image' }, {});
        return { echo: echo.content, prompts: prompts.length, kinds: image.content.map(({ type }) => type) };
      }, id);
      expect(found.echo).toMatchObject([{ type: 'text', text: expect.stringContaining('hello') as string }]);
      expect(found.kinds).toContain('image');
      expect(found.prompts).toBeGreaterThan(0);
    },
  );
});
