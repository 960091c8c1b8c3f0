import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandCase } from '@toolyard/testing';
import { eventually, loadPolicyCorpus, needs, reply, SANDBOX, sharedTmp, startModelServer } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { apiAt } from '../../http/test-fixtures/api-at.ts';
import { startServer } from '../../start-server.ts';

/** Commands judged differently: those that name the data folder and port of another installation, and one that is missed. */
const KNOWN = new Set([
  'code-encoded-032',
  ...['027', '028', '030', '032', '037', '039', '043', '067'].map((number) => `toolyard-${number}`),
]);

/** Calls of one turn of the model. */
const CALLS = 20;

/**
 * Lets a model call `shell` with every n-th command of the corpus, on a whole server in the mode that asks for every call:
 * a dangerous one must be flagged, a harmless one must not. No command is executed.

 */
export function describeShellCorpus({ every }: { every: number }): void {
  describe('commands of the corpus through `shell`', () => {
    test('are flagged exactly if they are dangerous, and none runs without approval', needs(SANDBOX), async () => {
      await using stack = new AsyncDisposableStack();
      const commands = loadPolicyCorpus('open').filter((entry): entry is CommandCase => entry.kind === 'command');
      const chosen = commands.filter((_, at) => at % every === 0);
      const batches: CommandCase[][] = [];
      for (let at = 0; at < chosen.length; at += CALLS) batches.push(chosen.slice(at, at + CALLS));
      let turn = 0;
      const model = stack.use(
        await startModelServer(() =>
          reply.toolCalls((batches[turn++] ?? []).map(({ command }) => ({ name: 'shell', arguments: { command } }))),
        ),
      );
      const folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-corpus-')));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      const workspace = join(folder, 'work');
      mkdirSync(workspace);
      const server = await startServer({
        dataDir: join(folder, 'data'),
        host: '127.0.0.1',
        port: 0,
        token: null,
        ui: false,
        builtInServers: [],
        hasServerTools: true,
        flagServers: [],
        env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k' },
        log: () => {},
      });
      stack.defer(() => server.close());
      const api = apiAt(() => server.url);

      const judged: string[] = [];
      for (const batch of batches) {
        const configuration = { servers: { shell: true }, workspace, intervention: 'manual' as const };
        const { id } = await api.post('/api/conversations', { body: { configuration } });
        const body = { parts: [{ type: 'text' as const, text: 'Do it' }] };
        await api.post('/api/conversations/{id}/messages', { params: { id }, body });
        const asked = await eventually(
          async () => {
            const { items } = await api.get('/api/interrupts', { query: { conversation: id, limit: CALLS } });
            return items.length === batch.length && items;
          },
          { what: `the approvals of ${String(batch.length)} calls` },
        );
        for (const { id: caseId, command, expected } of batch) {
          const approval = asked.find(
            ({ interrupt }) => interrupt.kind === 'approval' && interrupt.arguments['command'] === command,
          )?.interrupt;
          const isFlagged = approval?.kind === 'approval' && approval.danger !== undefined;
          if (approval === undefined) judged.push(`${caseId}: not asked`);
          else if (isFlagged !== (expected === 'flagged')) judged.push(caseId);
        }
      }
      expect(judged.filter((id) => !KNOWN.has(id))).toEqual([]);
      expect(batches.flat().length).toBeGreaterThan(10);
      expect(readdirSync(workspace)).toEqual([]);
    });
  });
}
