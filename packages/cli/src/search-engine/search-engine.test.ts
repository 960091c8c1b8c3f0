import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import type { ModelServer } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-built-in-')));
writeFileSync(join(folder, 'notes.md'), '# Notes');
let served: Served;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer((request) => {
    const { messages } = request.body as { messages: { role: string; content: unknown }[] };
    const last = messages.at(-1);
    const isAboutRoots = request.text.includes('list_allowed_directories');
    const said = JSON.stringify(last?.content);
    if (last?.role === 'tool' && (!isAboutRoots || said.includes(folder))) return reply.text(`It said: ${said}`);
    const name = isAboutRoots ? 'list_allowed_directories' : 'list_files';
    return reply.toolCalls([{ name, arguments: {} }]);
  });
  served = await Served.start({ model: model.url });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await model.close();
  rmSync(folder, { recursive: true });
});

const run = (args: string[], more: Parameters<typeof runCommand>[1] = {}) =>
  runCommand([...args, '--server', served.url], more);

describe('toolyard search-engine', () => {
  test('shows, sets and removes the search engine, and never prints its key', async () => {
    expect((await run(['search-engine', 'show'])).stdout).toBe('No search engine.\n');
    expect((await run(['search-engine', 'set', 'brave', '--key-stdin'], { input: 'canary-key\n' })).code).toBe(0);
    expect((await run(['search-engine', 'show'])).stdout).toBe('brave, with a key\n');
    await run(['search-engine', 'set', 'searxng', '--url', 'https://search.example/']);
    const shown = await run(['search-engine', 'show', '--json']);
    expect(JSON.parse(shown.stdout)).toEqual({ engine: 'searxng', url: 'https://search.example/', hasKey: false });
    const fromEnvironment = { env: { TOOLYARD_SEARCH_KEY: 'canary-key' } };
    expect((await run(['search-engine', 'set', 'exa'], fromEnvironment)).stderr).toContain('uses exa');
    expect((await run(['search-engine', 'show'])).stdout).toBe('exa, with a key\n');
    await run(['search-engine', 'remove']);
    expect((await run(['search-engine', 'show'])).stdout).toBe('No search engine.\n');
  });

  test('explains errors', async () => {
    expect((await run(['search-engine', 'set', 'altavista'])).stderr).toMatch(/altavista.*searxng, brave/s);
    const withoutKey = await run(['search-engine', 'set', 'brave', '--key-stdin'], { input: '' });
    expect(withoutKey).toMatchObject({ code: 1 });
    expect(withoutKey.stderr).toContain('stdin must contain the key');
  });
});

describe('toolyard chat --workspace', () => {
  test('chooses the folder of a chat on a server', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ enabled: true });
    await fetch(`${served.url}/api/mcp/servers/files`, { method: 'PATCH', headers, body });
    const at = ['chat', '--server', served.url, '--model', 'scripted', '--workspace'];
    const listed = await runCommand([...at, folder, 'What is there?']);
    expect(listed.stderr).toContain(`workspace: ${folder}`);
    expect(listed.stdout).toContain('notes.md');
    const missing = await runCommand([...at, join(folder, 'missing'), 'What is there?']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/--workspace: .*missing is not a folder/);
  });

  test('is the root of local servers in a chat of this process', async () => {
    const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
    // The server asks for roots in the background after it has started: its first answers may not know them.
    const ran = await eventually(
      async () => {
        const { stdout } = await runCommand([
          ...['chat', '--base-url', model.url, '--model', 'scripted', '--no-date'],
          ...['--mcp', `fs=${process.execPath} ${script} ${tmpdir()}`, '--allow', 'fs/list_allowed_directories'],
          ...['--workspace', folder, 'Where do you work?'],
        ]);
        return stdout.includes(folder) && stdout;
      },
      { what: 'an answer after the server has received its root' },
    );
    expect(ran).toContain(folder);
  });
});
