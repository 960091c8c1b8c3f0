import { systemClock } from '@toolyard/protocol';
import { scriptedMcpCommand } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createStdioTransport } from '../stdio-transport.ts';
import { explainNoSandbox } from './no-sandbox.ts';

test.each([
  [{ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' }, /AppArmor denies/, /\/etc\/apparmor\.d\/bwrap/],
  [{ '/proc/sys/kernel/unprivileged_userns_clone': '0\n' }, /unprivileged_userns_clone is 0/, /userns_clone=1/],
  [{ '/proc/sys/user/max_user_namespaces': '0\n' }, /max_user_namespaces is 0/, /max_user_namespaces=15000/],
  [{ '/.dockerenv': '', '/proc/sys/user/max_user_namespaces': '0' }, /in a container/, /seccomp/],
  [{ '/proc/sys/user/max_user_namespaces': '63000' }, /bubblewrap does not work here: no way$/, /Check SELinux/],
])('explains why bubblewrap fails and what to do: %j', (files: Record<string, string>, reason, hint) => {
  const none = explainNoSandbox('no way', (path) => files[path]);
  expect(String(none.reason)).toMatch(reason);
  expect(String(none.hint)).toMatch(hint);
});

const support = () => Promise.resolve(explainNoSandbox('setting up uid map: Permission denied', () => undefined));
const at = { serverId: 'files', clock: systemClock };

test('a server starts without a sandbox, with a warning, if the system has none', async () => {
  const logged: string[] = [];
  const transport = createStdioTransport(
    { type: 'stdio', ...scriptedMcpCommand('plain'), sandbox: {} },
    { ...at, log: (_level, line) => void logged.push(line) },
    { sandbox: { support } },
  );
  await transport.start();
  expect(transport.isolation).toMatchObject({
    kind: 'unavailable',
    reason: expect.stringContaining('uid map: Permission denied') as string,
    hint: expect.stringContaining('user namespaces') as string,
  });
  expect(logged.join()).toContain('The server runs without a sandbox. bubblewrap does not work here');
  await transport.close();
});

test('a server with a limited network does not start without a sandbox', async () => {
  const config = { type: 'stdio' as const, ...scriptedMcpCommand('plain'), sandbox: { network: 'off' as const } };
  const transport = createStdioTransport(config, { ...at, log: () => undefined }, { sandbox: { support } });
  await expect(transport.start()).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringMatching(/"files" is not started: its network is limited.*Permission denied/) as string,
    hint: expect.stringContaining('user namespaces') as string,
  });
});
