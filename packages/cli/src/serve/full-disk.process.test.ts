import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConversationView, RunRecord } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import { eventually, needs, reply, startModelServer, utilLinux } from '@toolyard/testing';
import { runCommand } from '../test-fixtures/run-command.ts';
import { ServedProcess } from '../test-fixtures/served-process.ts';
import { NODE_ARGS, PROCESS_ENV } from '../test-fixtures/spawn-command.ts';

/** `prlimit` of util-linux limits the file size: every write beyond it fails, like on a full disk. */
const PRLIMIT = utilLinux('prlimit', 'prlimit');

function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

describe('a full disk', needs(PRLIMIT), () => {
  it('is reported at startup, and the same folder starts once there is space', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'toolyard-full-'));
    try {
      const command = [process.execPath, ...NODE_ARGS];
      const args = ['--fsize=50000:unlimited', ...command, 'serve', '--data-dir', dataDir, '--port', '0'];
      const ran = spawnSync('prlimit', args, { encoding: 'utf8', env: PROCESS_ENV, timeout: 120_000 });
      expect(ran).toMatchObject({ status: 1, stdout: '' });
      expect(ran.stderr).toMatch(
        /^toolyard: \S*toolyard\.db cannot be written: the disk is full[^\n]*\n {2}Free disk space[^\n]*\n$/,
      );
      await using served = await ServedProcess.start({ dataDir });
      const asked = await runCommand(['chat', '--server', served.url, 'Hello']);
      expect(asked.code, asked.stderr).toBe(0);
      expect((await runCommand(['db', 'check', '--data-dir', dataDir])).code).toBe(0);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('is reported during a run, which resumes by itself once there is space', async () => {
    const text = Array.from({ length: 300 }, (_none, at) => `word${at}`).join(' ');
    const limited = Promise.withResolvers<void>();
    await using model = await startModelServer(() =>
      reply.text(text, { pieces: 8, delayMs: 5, hold: { until: limited.promise } }),
    );
    await using served = await ServedProcess.start({ model: model.url });
    const at = ['--server', served.url, '--model', 'scripted'];
    const following = runCommand(['chat', ...at, 'Count']);
    const run = await served.answering();
    const sizes = readdirSync(served.dataDir).map((name) => statSync(join(served.dataDir, name)).size);
    limitFiles(served.pid, Math.max(...sizes));
    limited.resolve();
    await eventually(() => served.log.includes('postponed'), { what: 'the full disk in the log' });
    expect(served.log).toMatch(/postponed: \S+ cannot be written: the disk is full/);

    const sent = await runCommand(['chat', ...at, 'And you?']);
    expect(sent.code).toBe(1);
    expect(sent.stderr).toContain('Toolyard could not read or write its data.');
    expect(sent.stderr).not.toContain(served.dataDir);
    expect(await served.get<RunRecord>(`/api/runs/${run.id}`)).toMatchObject({ endedAt: null });

    limitFiles(served.pid, 'unlimited');
    expect(await following).toMatchObject({ code: 0, stdout: `${text}\n` });
    const conversation = await served.get<ConversationView>(`/api/conversations/${run.conversationId}`);
    expect(conversation.page.messages.map(textOf)).toEqual(['Count', text]);
    expect((await runCommand(['db', 'check', '--data-dir', served.dataDir])).code).toBe(0);
  });
});
