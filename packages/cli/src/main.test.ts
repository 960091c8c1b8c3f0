import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProviderView } from '@toolyard/protocol';
import { main } from './main.ts';
import { createMemoryIo } from './test-fixtures/memory-io.ts';
import type { CommandResult } from './test-fixtures/run-command.ts';
import { runCommand } from './test-fixtures/run-command.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'];

function idsIn({ stdout }: CommandResult): string[] {
  return (JSON.parse(stdout) as ProviderView[]).map(({ id }) => id);
}

it('runs concurrent commands in one process with separate environment, folder, streams and exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = { providers: [{ id: 'mine', label: 'Mine', baseUrl: 'http://127.0.0.1:1/v1' }] };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const listeners = () => SIGNALS.map((name) => process.listenerCount(name));
  const before = listeners();

  const [relative, variable, wrong, help] = await Promise.all([
    runCommand(['providers', '--json', '--data-dir', '.'], { cwd: folder }),
    runCommand(['providers', '--json'], { env: { TOOLYARD_DATA_DIR: join(folder, 'none'), OPENAI_API_KEY: 'k' } }),
    runCommand(['providers', '--nonsense']),
    runCommand(['providers', '--help']),
  ]);

  expect(relative).toMatchObject({ code: 0, stderr: '' });
  expect(idsIn(relative)).toContain('mine');
  expect(idsIn(relative)).not.toContain('openai');
  expect(idsIn(variable)).toContain('openai');
  expect(idsIn(variable)).not.toContain('mine');
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--nonsense') as string });
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--known') as string, stderr: '' });
  expect(process.exitCode).toBeUndefined();
  expect(listeners()).toEqual(before);
});

it('exits silently if the reader of its help closes the pipe', async () => {
  const io = createMemoryIo();
  io.stdout._write = (_chunk, _encoding, done: (error?: Error) => void) =>
    done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(await main(['serve', '--help'], io)).toBe(0);
  expect(await io.exited).toBe(0);
  expect(io.stderr.text).toBe('');
});
