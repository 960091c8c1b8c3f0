import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { ApprovalInterrupt } from '@toolyard/protocol';
import type { CommandIo } from '../command-io.ts';
import { askApproval } from './ask-user.ts';
import type { Terminal } from './terminal.ts';

it('names the unsandboxed servers that block mode "auto", and the command that confirms it', async () => {
  const err = new PassThrough();
  const output = new PassThrough();
  const interrupt: ApprovalInterrupt = {
    id: 'i',
    kind: 'approval',
    callId: 'c',
    tool: { serverId: 'desk', name: 'echo' },
    name: 'echo',
    arguments: {},
    autoUnconfirmed: ['desk', 'odd\u001b[31m'],
  };
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
  const text = String(err.read());
  expect(text).toMatch(/desk, odd.*"toolyard mcp unsandboxed --confirm-auto"/);
  expect(text).not.toContain('\u001b');
});
