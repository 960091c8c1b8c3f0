import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { ApprovalInterrupt } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { askApproval } from './ask-user.ts';
import type { Terminal } from './terminal.ts';

async function shownFor(interrupt: ApprovalInterrupt): Promise<string> {
  const err = new PassThrough();
  const output = new PassThrough();
  const io: CommandIo = {
    env: {},
    cwd: '/',
    stdin: new PassThrough(),
    stdout: output,
    stderr: err,
    onSignal: () => () => {},
    onExit() {},
    exit() {},
  };
  const terminal: Terminal = {
    io,
    input: io.stdin,
    output,
    err,
    interactive: false,
    outputIsScreen: false,
    errIsScreen: false,
  };
  const reader = { ask: async () => ({ kind: 'line' as const, text: 'y' }), onLine: () => () => {}, close() {} };
  const { signal } = new AbortController();
  await askApproval(interrupt, { terminal, reader, signal, canRemember: true });
  return String(err.read());
}

const call = { id: 'i', kind: 'approval', callId: 'c', name: 'echo', arguments: {} } as const;

it('shows what a file tool would change, without control characters and not without end', async () => {
  const tool = { serverId: 'files', name: 'write_file' };
  const text = await shownFor({ ...call, tool, diff: '  # Notes\n- old\u001b[31m\n+ new\u200b' });
  expect(text).toContain('It would change:\n    # Notes\n  - old');
  expect(text).toContain('+ new⟨U+200B⟩');
  expect(text).not.toContain('\u001b');
  const long = await shownFor({ ...call, tool, diff: Array.from({ length: 300 }, (_, at) => `+ ${at}`).join('\n') });
  expect(long).toContain('  + 199\n  [100 more lines]');
  expect(long).not.toContain('+ 200');
});

it('names the unsandboxed servers that block mode "auto", and the command that confirms it', async () => {
  const text = await shownFor({
    ...call,
    tool: { serverId: 'desk', name: 'echo' },
    autoUnconfirmed: ['desk', 'odd\u001b[31m'],
  });
  expect(text).toMatch(/desk, odd.*"toolyard mcp unsandboxed --confirm-auto"/);
  expect(text).not.toContain('\u001b');
});
