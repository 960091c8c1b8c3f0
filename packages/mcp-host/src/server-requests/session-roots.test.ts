import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolResult } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { connected, everything, getHealth, startEverything } from '../node/test-fixtures/peers.ts';
import type { CallToolOptions, ServerConfig } from '../types.ts';
import { rootsOutsideSandbox } from './session-roots.ts';

const filesystem = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

const base = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-roots-')));
const folders = Object.fromEntries(
  ['own', 'a', 'b', 'c'].map((name) => {
    const path = join(base, name);
    mkdirSync(path);
    writeFileSync(join(path, `${name}.txt`), name);
    return [name, path];
  }),
);
afterAll(() => rmSync(base, { recursive: true }));

let host: McpHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

const inChat = (conversationId: string, ...names: string[]): CallToolOptions => ({
  caller: {
    principal: 'anne',
    conversationId,
    ...(names.length === 0 ? {} : { roots: names.map((name) => pathToFileURL(folders[name] ?? '').href) }),
  },
});

const server = (script: string, args: string[] = [], more: Partial<ServerConfig> = {}): ServerConfig => ({
  id: 'files',
  transport: { type: 'stdio', command: process.execPath, args: [script, ...args] },
  ...more,
});

const getText = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

describe('the filesystem server', () => {
  const open = async (more: Partial<ServerConfig> = {}): Promise<McpHost> => {
    host = await connected([server(filesystem, [folders['own'] ?? ''], more)], { callerRoots: true });
    // It asks for its roots right after the handshake.
    await eventually(() => expect(JSON.stringify(host?.wireLog('files'))).toContain('roots/list'), {
      what: 'the server asks for its roots',
    });
    return host;
  };
  const allowed = async (options: CallToolOptions): Promise<string[]> => {
    const result = await host?.callTool({ serverId: 'files', name: 'list_allowed_directories' }, {}, options);
    return result === undefined ? [] : getText(result).split('\n').slice(1);
  };

  test('works in the folder of each conversation, and never in that of another', async () => {
    await open();
    const ask = () =>
      ['a', 'b', undefined, 'a', 'b', undefined].map((name, at) =>
        allowed(name === undefined ? inChat(`none${at}`) : inChat(`chat-${name}`, name)),
      );
    const { own, a, b } = folders;
    // It may answer the first call of a conversation before it has received the roots.
    await eventually(async () => expect(await Promise.all(ask())).toEqual([[a], [b], [own], [a], [b], [own]]), {
      what: 'the server works with the roots of each conversation',
    });
    const read = (path: string) =>
      host?.callTool({ serverId: 'files', name: 'read_text_file' }, { path }, inChat('chat-a', 'a'));
    expect((await read(join(a ?? '', 'a.txt')))?.isError).toBe(false);
    expect((await read(join(b ?? '', 'b.txt')))?.isError).toBe(true);
  });

  test('follows a changed workspace, and keeps nothing when it is removed', async () => {
    await open();
    const { own, a, c } = folders;
    expect(await allowed(inChat('chat', 'a'))).toEqual([a]);
    expect(await allowed(inChat('chat', 'c'))).toEqual([c]);
    expect(JSON.stringify(host?.wireLog('files'))).toContain('notifications/roots/list_changed');
    expect(await allowed(inChat('chat'))).toEqual([own]);
    expect(await allowed(inChat('chat', 'a', 'c'))).toEqual([a, c]);
  });

  test('gets no roots if all conversations share its process', async () => {
    await open({ processes: 'one' });
    expect(await allowed(inChat('chat', 'a'))).toEqual([folders['own']]);
  });
});

test('a remote server does not receive the folders', async () => {
  const remote = await startEverything();
  try {
    host = await connected([{ id: 'files', transport: { type: 'http', url: remote.url } }], { callerRoots: true });
    await host.callTool({ serverId: 'files', name: 'echo' }, { message: 'hi' }, inChat('chat', 'a'));
    const sent = host.wireLog('files').filter(({ direction }) => direction === 'sent');
    expect(JSON.stringify(sent)).not.toMatch(/roots\/list\b|file:/);
  } finally {
    await remote.stop();
  }
});

test('the reference server shows the folder of the conversation', async () => {
  host = await connected([server(everything, ['stdio'])], { callerRoots: true });
  await eventually(() => expect(host?.resolve('get-roots-list')).toBeDefined(), { what: 'its tool for roots' });
  const result = await host.callTool({ serverId: 'files', name: 'get-roots-list' }, {}, inChat('chat', 'a'));
  expect(getText(result)).toContain(pathToFileURL(folders['a'] ?? '').href);
  expect(getHealth(host, 'files').interactive ?? false).toBe(false);
});

test('a root outside the sandbox of a server is noticed', () => {
  const root = ['file:///srv/my%20work'];
  const transport = (sandbox: { read?: string[]; write?: string[] } | false) =>
    ({ type: 'stdio', command: 'x', sandbox }) as const;
  expect(rootsOutsideSandbox(transport({}), root)).toEqual(['/srv/my work']);
  expect(rootsOutsideSandbox(transport({ write: ['/srv/my'] }), root)).toEqual(['/srv/my work']);
  expect(rootsOutsideSandbox(transport({ read: ['/srv/'] }), root)).toEqual([]);
  expect(rootsOutsideSandbox(transport({ write: ['/srv/my work'] }), root)).toEqual([]);
  expect(rootsOutsideSandbox(transport(false), root)).toEqual([]);
  expect(rootsOutsideSandbox({ type: 'http', url: 'http://x' }, root)).toEqual([]);
});
