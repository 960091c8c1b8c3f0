import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock, eventually, needs, UNIX } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { likelyCause } from './likely-cause.ts';
import { closeOn, getHealth, newHost, advanceUntil } from '../node/test-fixtures/peers.ts';
import { findLauncher } from './launcher.ts';

test.each([
  ['npx', [], 'npx'],
  ['/opt/uv/uvx', [], 'uvx'],
  ['C:\\node\\npx.cmd', [], 'npx'],
  ['cmd', ['/c', 'npx', '-y', 'x'], 'npx'],
  ['node', ['npx'], undefined],
  ['my-docker', [], undefined],
  ['uv', ['tool', 'run', 'mcp-server-git'], 'uv'],
  ['uv', ['--offline', '--directory', '/srv', 'run', 'server.py'], 'uv'],
  ['uv', ['pip', 'run'], undefined],
  ['bun', ['x', 'server'], 'bun'],
  ['bun', ['x.ts'], undefined],
  ['pnpm', ['--package=server', 'dlx', 'server'], 'pnpm'],
  ['cmd', ['/c', 'yarn', 'dlx', 'server'], 'yarn'],
  ['npm', ['exec', '-y', 'server'], 'npm'],
  ['pnpm', ['start'], undefined],
])('%s %j uses the launcher %s', (command, args, launcher) => {
  expect(findLauncher({ type: 'stdio', command, args })).toBe(launcher);
});

test.each([
  ['npm error code SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
  ['  ╰─▶ invalid peer certificate: UnknownIssuer', 'certificate'],
  ['npm error 404 Not Found - GET https://npm.example/x', 'does not exist'],
  ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'Docker is not running'],
  ['npm error code ENOTFOUND', 'cannot be resolved'],
])('names the likely cause of: %s', (line, cause) => {
  expect(likelyCause(['npm warn something', line])?.text).toContain(cause);
});

test(
  'a launcher gets a five-minute timeout, shows its output, is not restarted by a retry, and reports its cause',
  needs(UNIX),
  async () => {
    const command = join(mkdtempSync(join(tmpdir(), 'launcher-')), 'npx');
    writeFileSync(command, '#!/bin/sh\necho "request failed: SELF_SIGNED_CERT_IN_CHAIN" >&2\nexec cat >/dev/null\n', {
      mode: 0o755,
    });
    const clock = createFakeClock();
    const host = newHost([{ id: 'slow', transport: { type: 'stdio', command } }], { clock, maxReconnects: 0 });
    const connecting = host.connectAll();
    await eventually(() => getHealth(host, 'slow').launch?.stderr.length === 1, { what: 'the line on standard error' });
    await clock.advance(299_000);
    expect(getHealth(host, 'slow')).toMatchObject({
      state: 'connecting',
      launch: { launcher: 'npx', stderr: ['request failed: SELF_SIGNED_CERT_IN_CHAIN'] },
    });

    const retry = host.reconnect('slow').catch(() => undefined);
    await advanceUntil(clock, Promise.all([connecting, retry]));
    const { state, error, launch, log } = getHealth(host, 'slow');
    expect({ state, launch }).toEqual({ state: 'failed', launch: undefined });
    expect(log.filter(({ text }) => text === 'transport creating')).toHaveLength(1);
    expect(error).toMatchObject({ code: 'timed_out' });
    expect(error?.message).toContain('300 s');
    expect(error?.message).toContain('SELF_SIGNED_CERT_IN_CHAIN');
    expect(error?.hint).toContain('NODE_EXTRA_CA_CERTS');
    await closeOn(clock, host);
  },
);
