import { createServer } from 'node:http';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenOnLoopback, needs, UNPRIVILEGED_USER } from '@toolyard/testing';
import type { CommandResult } from '../test-fixtures/run-command.ts';
import { runCommand } from '../test-fixtures/run-command.ts';
import { Served } from '../test-fixtures/served.ts';

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-start-'));
  dataDir = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A failed start: prints only the reason and what to do. */
async function refused(...args: string[]): Promise<CommandResult> {
  const ran = await runCommand(['serve', '--data-dir', dataDir, '--port', '0', ...args]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^toolyard: [^\n]+\n( {2}[^\n]+\n)?$/);
  return ran;
}

/** A data folder with a database that no process uses. */
async function leaveDatabase(): Promise<string> {
  const served = await Served.start({ dataDir });
  await served.post('/api/conversations', { id: 'c', title: 'Clocks' });
  await served.stop();
  await served[Symbol.asyncDispose]();
  expect(readdirSync(dataDir).sort()).toEqual(['lock.db', 'toolyard.db']);
  return join(dataDir, 'toolyard.db');
}

describe('toolyard serve reports why it cannot start', () => {
  it('names the settings that a role requires', async () => {
    const ran = await refused('--role', 'worker');
    expect(ran.stderr).toMatch(/The role "worker" requires PostgreSQL:.*\n.*DATABASE_URL/);
    expect(existsSync(dataDir)).toBe(false);
    const lost = await refused(
      '--role',
      'web',
      '--database-url',
      'postgres://127.0.0.1:1/x',
      '--internal-url',
      'nowhere',
    );
    expect(lost.stderr).toContain('"nowhere" is not a URL at which other processes can reach this one.');
  });

  it('names the Toolyard server that uses the port', async () => {
    await using served = await Served.start();
    const ran = await refused('--port', new URL(served.url).port);
    expect(ran.stderr).toMatch(
      /Port \d+ is in use by another Toolyard server \(\d[\w.-]*\) at http:\/\/127\.0\.0\.1:\d+/,
    );
    expect(ran.stderr).toContain('--port');
  });

  it.each([
    ['another program', () => ({ end: 'Hello, I am a printer.' })],
    ['a program that never answers', () => null],
  ])('says that %s has the port', async (_what, answer) => {
    const other = createServer((_request, response) => {
      const body = answer();
      if (body) response.end(body.end);
    });
    await using listening = await listenOnLoopback(other);
    const ran = await refused('--port', String(listening.port));
    expect(ran.stderr).toContain('in use by another program');
  });

  it('names the Toolyard server that uses the folder, which keeps running', async () => {
    await using served = await Served.start({ dataDir });
    const ran = await refused();
    expect(ran.stderr).toContain(
      `${dataDir} is in use by the Toolyard server at ${served.url} (process ${process.pid})`,
    );
    expect(await served.get('/health')).toMatchObject({ status: 'ok' });
    expect(existsSync(join(dataDir, 'server.json'))).toBe(true);
  });

  it('reports a file in place of the data folder', async () => {
    writeFileSync(dataDir, 'my notes');
    expect((await refused()).stderr).toContain('a file exists where a folder is needed');
    expect(readFileSync(dataDir, 'utf8')).toBe('my notes');
  });

  it('reports a folder that cannot be created', async () => {
    symlinkSync(join(folder, 'unplugged'), join(folder, 'disk'));
    const ran = await refused('--data-dir', join(folder, 'disk', 'data'));
    expect(ran.stderr).toContain('it does not exist and cannot be created');
  });

  it('reports a folder without write permission', needs(UNPRIVILEGED_USER), async () => {
    mkdirSync(dataDir, { mode: 0o500 });
    expect((await refused()).stderr).toContain('cannot be written');
  });

  it('rejects a database of a newer version and does not change it', async () => {
    const file = await leaveDatabase();
    const database = new DatabaseSync(file);
    database.exec(`INSERT INTO kysely_migration VALUES ('999-later', '2030-01-01T00:00:00.000Z')`);
    database.close();
    const before = readFileSync(file);
    expect((await refused()).stderr).toMatch(
      /written by a newer Toolyard and is incompatible with this version \(\d\S+\): 999-later/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('rejects a damaged database and does not change it', async () => {
    const file = await leaveDatabase();
    const bytes = readFileSync(file);
    bytes.fill(0xee, 3 * 4_096, 30 * 4_096);
    writeFileSync(file, bytes);
    expect((await refused()).stderr).toMatch(/toolyard\.db is damaged[^]*restore a backup/);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    const checked = await runCommand(['db', 'check', '--data-dir', dataDir]);
    expect(checked.code).toBe(1);
    expect(checked.stdout + checked.stderr).toContain('damaged');
  });

  it.each([
    [['--host', '0.0.0.0', '--no-token'], /Listening on 0\.0\.0\.0 with --no-token[^]*Remove --no-token/],
    [['--host', '::', '--no-token'], /Listening on :: with --no-token/],
    [['--token', 'two words of a token'], /The access token has characters[^]*without spaces/],
    [['--token', 'x'], /The access token has 1 character; the minimum is 16/],
    [['--database-url', 'postgres://127.0.0.1:1/x'], /With DATABASE_URL[^]*Set TOOLYARD_TOKEN[^]*--no-token/],
    [['--host', 'http://localhost'], /must be a name or an address/],
    [['--host', '192.0.2.1'], /192\.0\.2\.1 is not an address of this machine/],
    [['--allow-host', 'https://lab.example'], /"https:\/\/lab\.example" is not a host/],
    [['--port', '70000'], /from 0 to 65535/],
    [['--mcp-config', '/does/not/exist.json'], /\/does\/not\/exist\.json/],
    [['--proxy-allow', 'somewhere'], /--proxy-allow: "somewhere" is not an origin/],
  ])('refuses %j', async (args, message) => {
    expect((await refused(...args)).stderr).toMatch(message);
  });

  it('reports the line of an error in a file of the data folder', async () => {
    await leaveDatabase();
    writeFileSync(join(dataDir, 'config.json'), '{"providers": 7}');
    expect((await refused()).stderr).toContain('config.json');
  });
});
