import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';
import { main } from '../main.ts';
import { runCommand } from '../test-fixtures/run-command.ts';
import { serveInProcess } from '../test-fixtures/serve-in-process.ts';

it('requires an access token by default, and commands of the same user need no further input', async () => {
  await using served = await serveInProcess({ token: true, args: ['--no-date'] });
  const { dataDir, url } = served;
  expect((await fetch(`${url}/api/conversations`)).status).toBe(401);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  const file = join(dataDir, 'access-token');
  expect(served.log()).toContain(`access token: ${file}`);
  expect(served.stdout()).toBe(`Toolyard is listening at ${url}\n`);
  expect(served.log()).toContain(` open --data-dir ${dataDir}`);
  // The page is public: it names the flag, and not the folder.
  const help = await (await fetch(`${url}/api/sign-in`)).text();
  expect(help).toContain(' open --data-dir <data folder>"');
  expect(help).not.toContain(dataDir);
  const token = readFileSync(file, 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/api/conversations`, { headers })).status).toBe(200);
  for (const name of ['access-token', 'server.json']) {
    expect([name, statSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(readFileSync(join(dataDir, 'server.json'), 'utf8')).not.toContain(token);

  for (const args of [
    ['conversations', 'list'],
    ['mcp', 'list', '--server'],
    ['chat', '--server', 'Hello'],
  ]) {
    const ran = await runCommand([...args, '--data-dir', dataDir], { env: { TOOLYARD_TOKEN: 'of-another-server' } });
    expect([args, ran.code, ran.stderr]).toEqual([args, 0, expect.any(String)]);
  }
  const opened = await runCommand(['open', '--no-browser', '--data-dir', dataDir]);
  const code = new RegExp(`^${url}/#code=([\\w-]{43})\\n$`).exec(opened.stdout)?.[1];
  const signIn = () =>
    fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  expect((await signIn()).status).toBe(200);
  expect((await signIn()).status).toBe(401);

  await served.restart();
  expect((await fetch(`${url}/api/conversations`, { headers })).status).toBe(200);
});

it('prints a sign-in link on a terminal', async () => {
  await using other = await serveInProcess();
  await other.stop();
  const io = createMemoryIo();
  Object.assign(io.stdout, { isTTY: true });
  const printed = new Promise<string>((resolve) => io.stdout.on('captured', () => resolve(io.stdout.text)));
  const returned = main(['serve', '--no-date', '--data-dir', other.dataDir, '--port', new URL(other.url).port], io);
  expect(await printed).toMatch(/^Toolyard is listening at http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}\n$/);
  io.signal('SIGTERM');
  expect(await returned).toBe(0);
});

it('rejects a truncated token file and does not start', async () => {
  await using served = await serveInProcess({ token: true, args: ['--no-date'] });
  await served.stop();
  writeFileSync(join(served.dataDir, 'access-token'), 'short');
  const ran = await runCommand(['serve', '--data-dir', served.dataDir, '--port', '0']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/access-token: The access token has 5 characters; the minimum is 16\.\n {2}Delete/);
});

it('creates, lists and revokes API keys', async () => {
  await using served = await serveInProcess({ token: true, args: ['--no-date'] });
  const at = ['--data-dir', served.dataDir];
  const created = await runCommand(['keys', 'create', 'Backup', '--scopes', 'read', '--expires', '30', ...at]);
  expect(created.stdout).toMatch(/^tyk_[\w-]{43}\n$/);
  const key = created.stdout.trim();
  const read = await runCommand(['conversations', 'list', '--server', served.url, '--token', key]);
  expect(read.code, read.stderr).toBe(0);
  const denied = await runCommand(['keys', 'list', '--server', served.url, '--token', key]);
  expect(denied.stderr).toContain('This API key does not have the scope "access".');
  const listed = await runCommand(['keys', 'list', ...at]);
  expect(listed.stdout).toMatch(/^[\w-]+ {2}Backup {2}tyk_[\w-]+… {2}read {2}expires \d{4}-/);
  const id = listed.stdout.split(' ')[0] ?? '';
  expect((await runCommand(['keys', 'revoke', id, ...at])).code).toBe(0);
  expect((await runCommand(['keys', 'list', ...at])).stdout).toBe('No API keys.\n');
  const flags = ['--tool', 'files/*', '--budget-run', '0.5usd,10calls', '--rate', '5/minute,100/day'];
  expect((await runCommand(['keys', 'create', 'Home', ...flags, ...at])).code).toBe(0);
  const limits = 'tools files/*; $0.5 per run; 10 calls per run; 5 runs per minute; 100 runs per day';
  expect((await runCommand(['keys', 'list', ...at])).stdout).toContain(limits);
  const after = await runCommand(['conversations', 'list', '--server', served.url, '--token', key]);
  expect(after.code).toBe(1);
  for (const [args, message] of [
    [['--scopes', 'read,admin'], /unknown scope "admin"[^]*read, write/],
    [['--scopes', 'access'], /unknown scope "access"/],
    [['--rate', '5'], /--rate: invalid value "5"/],
    [['--budget-day', '1eur'], /--budget-day: invalid value "1eur"/],
    [['--expires', '0'], /a number of days from 1 to 3650 \(got "0"\)/],
  ] as const) {
    const ran = await runCommand(['keys', 'create', 'X', ...args, ...at]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(message);
  }
});

it('lists sessions and revokes one or all', async () => {
  await using served = await serveInProcess({ token: true, args: ['--no-date'] });
  const at = ['--data-dir', served.dataDir];
  const token = readFileSync(join(served.dataDir, 'access-token'), 'utf8').trim();
  const signIn = async (userAgent: string) => {
    const answer = await fetch(`${served.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify({ token }),
    });
    const { secret } = (await answer.json()) as { secret: string };
    return { cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-toolyard-session': secret };
  };
  const requestStatus = async (headers: Record<string, string>) =>
    (await fetch(`${served.url}/api/conversations`, { headers })).status;
  const phone = await signIn('Phone\u00adBrowser');
  const [desk, other] = [await signIn('Desk'), await signIn('Other')];
  const { stdout } = await runCommand(['sessions', 'list', ...at]);
  expect(stdout).toMatch(/^[\w-]+ {2}since \d{4}-\d\d-\d\d {2}used \S+ {2}expires \S+ {2}Phone⟨U\+00AD⟩Browser$/m);
  const id =
    stdout
      .split('\n')
      .find((line) => line.includes('Phone'))
      ?.split(' ')[0] ?? '';
  expect(await runCommand(['sessions', 'revoke', id, ...at])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(id),
  });
  expect([await requestStatus(phone), await requestStatus(desk)]).toEqual([401, 200]);
  expect(await runCommand(['sessions', 'revoke', id, ...at])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(id),
  });
  for (const wrong of [[], [id, '--all']]) {
    const ran = await runCommand(['sessions', 'revoke', ...wrong, ...at]);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/(An ID cannot be combined with --all|No session was named)/),
    });
  }
  expect((await runCommand(['sessions', 'revoke', '--all', ...at])).code).toBe(0);
  expect([await requestStatus(desk), await requestStatus(other)]).toEqual([401, 401]);
  expect((await runCommand(['sessions', 'list', ...at])).stdout).toBe('No browser is signed in.\n');
  const key = await runCommand(['keys', 'create', 'Reader', '--scopes', 'read', ...at]);
  const denied = await runCommand(['sessions', 'list', '--server', served.url, '--token', key.stdout.trim()]);
  expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining('the scope "access"') });
});
