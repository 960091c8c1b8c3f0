import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import { needs, SANDBOX, sharedTmp } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerConfig } from '../../types.ts';
import { readMcpConfig } from '../mcp-config.ts';
import { createStdioTransport } from '../stdio-transport.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-redirected-')));
  for (const name of ['shared/sub/deep', 'secret', 'state']) mkdirSync(join(folder, name), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The servers of an `mcp.json` as loaded now. */
function load(entries: Record<string, object>): ServerConfig[] {
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: entries }));
  return readMcpConfig(file, {}).flatMap((entry) => ('config' in entry ? [entry.config] : []));
}

/** Starts the server `reader`; resolves to the reason why it is refused, or null. */
async function refusal(servers: readonly ServerConfig[]): Promise<string | null> {
  const reader = servers.find(({ id }) => id === 'reader');
  if (reader?.transport.type !== 'stdio') throw new Error('no reader');
  const context = { serverId: 'reader', clock: systemClock, log: () => undefined };
  const transport = createStdioTransport(reader.transport, context, {
    sandbox: { stateFolder: join(folder, 'state'), servers: () => servers },
  });
  try {
    await transport.start();
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'another error';
  } finally {
    await transport.close();
  }
}

const reader = (more: object, sandbox: object = {}) => ({ command: 'true', ...more, sandbox });
const at = (name: string): string => join(folder, name);
const redirect = (name: string, target: string): void => {
  renameSync(at(name), at(`${name}-before`));
  symlinkSync(at(target), at(name));
};

const WAYS: [string, () => object, string][] = [
  ['read', () => reader({}, { read: [at('shared/sub')] }), 'shared/sub'],
  ['write', () => reader({}, { write: [at('shared/sub')] }), 'shared/sub'],
  ['cwd', () => reader({ cwd: at('shared/sub') }), 'shared/sub'],
  ['a folder above', () => reader({}, { read: [at('shared/sub/deep')] }), 'shared/sub'],
  ['a trailing slash', () => reader({}, { read: [`${at('shared/sub')}/`] }), 'shared/sub'],
];

test.each(WAYS)(
  'an approved folder that leads elsewhere later is not mounted: %s',
  needs(SANDBOX),
  async (_way, entryOf, moved) => {
    const servers = load({ reader: entryOf() });
    expect(await refusal(servers)).toBeNull();
    mkdirSync(at('secret/deep'));
    redirect(moved, 'secret');
    expect(await refusal(servers)).toMatch(
      /led to ".*shared\/sub(\/deep)?" when it was approved and leads to ".*secret/,
    );
    // Loading the entry again asks for its approval, because the target is part of it.
    const [again] = load({ reader: entryOf() });
    expect(JSON.stringify(again)).toContain(at('secret'));
  },
);

test('a link that another server can change is not followed out of its folder', needs(SANDBOX), async () => {
  redirect('shared/sub', 'secret');
  const entry = reader({}, { read: [at('shared/sub')] });
  for (const writer of [{ sandbox: { write: [at('shared')] } }, { sandbox: {}, cwd: at('shared') }]) {
    const servers = load({ reader: entry, writer: { command: 'true', ...writer } });
    expect(await refusal(servers)).toMatch(/follows the link ".*shared\/sub", which the server "writer" can change/);
  }
  expect(await refusal(load({ reader: entry }))).toBeNull();
  const inside = load({ reader: entry, writer: { command: 'true', sandbox: { write: [folder] } } });
  expect(await refusal(inside)).toBeNull();
});
