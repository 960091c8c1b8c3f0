import { describe, expect, it } from 'vitest';
import { startModelServer } from '@toolyard/testing';
import { checkSandbox } from './doctor-launching.ts';
import type { CommandResult } from './test-fixtures/run-command.ts';
import { runCommand } from './test-fixtures/run-command.ts';

const doctor = (...args: string[]): Promise<CommandResult> => runCommand(['doctor', ...args]);

describe('toolyard doctor', () => {
  it('reports no problem on a bare machine with the demo and the date server', async () => {
    const ran = await doctor('--model', 'demo');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/ok\s+toolyard: .*Node/);
    expect(ran.stdout).toMatch(/ok\s+server date: 1 tools?/);
    expect(ran.stdout).not.toContain('wrong');
  });

  it('reports problems and exits with 1', async () => {
    await using server = await startModelServer([], { models: ['qwen3'] });
    const ran = await doctor('--base-url', server.url, '--model', 'other', '--mcp', 'gone=no-such-command-here');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/wrong\s+model: .*"other"/);
    expect(ran.stdout).toContain('qwen3');
    expect(ran.stdout).toMatch(/wrong\s+server gone: .*no-such-command-here/);
    expect(ran.stdout).toMatch(/ok\s+server date/);
  });

  it('checks certificates, proxy and launchers without printing a password', async () => {
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: '/no/such.pem',
      HTTPS_PROXY: 'http://ann:secret-word@proxy:3128',
    };
    const ran = await runCommand(['doctor', '--model', 'demo'], { env });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/wrong\s+certificates: NODE_EXTRA_CA_CERTS=\/no\/such.pem: cannot be read \(ENOENT\)/);
    expect(ran.stdout).toMatch(/info\s+proxy: HTTPS_PROXY=http:\/\/proxy:3128 contains credentials/);
    expect(ran.stdout).toMatch(/info\s+launchers: .*not in PATH/);
    expect(ran.stdout).toMatch(/(ok\s+sandbox: (bubblewrap|seatbelt)|info\s+sandbox: local servers run without)/);
    expect(ran.stdout + ran.stderr).not.toContain('secret-word');
  });

  it('says why no sandbox is available and what to do', async () => {
    const none = {
      kind: 'none',
      reason: 'AppArmor forbids user namespaces.',
      hint: 'Give bubblewrap a profile.',
    } as const;
    expect(await checkSandbox(() => Promise.resolve(none))).toEqual({
      level: 'info',
      subject: 'sandbox',
      text: 'local servers run without a sandbox. AppArmor forbids user namespaces.',
      hint: 'Give bubblewrap a profile.',
    });
  });

  it('prints findings as JSON without keys', async () => {
    const ran = await doctor('--json', '--model', 'demo', '--api-key', 'sk-very-secret');
    const findings = JSON.parse(ran.stdout) as { level: string; subject: string }[];
    expect(findings.map(({ subject }) => subject)).toContain('server date');
    expect(ran.stdout + ran.stderr).not.toContain('sk-very-secret');
  });
});
