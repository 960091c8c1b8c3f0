import type { Message, Principal, RunExport, RunRecord } from '@toolyard/protocol';
import { readSteps } from '../../runs/read/run-steps.ts';
import { fileAnswer } from '../responses.ts';
import { inlineBlobs } from '../views/inline-blobs.ts';
import { createAttachmentHeader } from '../transport/file-name.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import { runMarkdown } from '../views/run-markdown.ts';
import { toRunView } from '../views/run-view.ts';
import type { HttpAppOptions } from '../types.ts';

/** Routes that show what runs did. */
export function addRunHistoryRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, clock } = deps;

  route('GET /api/runs/{id}/steps', async ({ principal, params: { id } }) => {
    const run = await find(principal, id);
    return { ...(await readSteps(storage.runs, principal, run, clock.now())), run: toRunView(run) };
  });

  route('GET /api/runs/{id}/export', async ({ c, principal, params: { id }, query: { format } }) => {
    const run = await find(principal, id);
    const whole = await exported(principal, run);
    const isJson = format === 'json';
    return fileAnswer(c, isJson ? `${JSON.stringify(whole, null, 2)}\n` : runMarkdown(whole), {
      'content-type': isJson ? 'application/json' : 'text/markdown; charset=utf-8',
      'content-disposition': createAttachmentHeader(`run ${id}`, isJson ? 'json' : 'md'),
    });
  });

  async function find(principal: Principal, id: string): Promise<RunRecord> {
    const run = await storage.runs.getRun(principal, id);
    if (run === null) throw notFound('run', id);
    return run;
  }

  async function exported(principal: Principal, run: RunRecord): Promise<RunExport> {
    const steps = await readSteps(storage.runs, principal, run, clock.now());
    const messages: Message[] = [];
    for (const message of await readMessages(principal, steps)) {
      messages.push(await inlineBlobs(message, (sha256) => storage.blobs.read(principal, sha256)));
    }
    return {
      format: 'toolyard-run',
      version: 1,
      exportedAt: clock.now(),
      ...steps,
      run: toRunView(run),
      messages,
    };
  }

  /** The branch up to the current state of the run. */
  async function readMessages(
    principal: Principal,
    { run, question, items }: Pick<RunExport, 'run' | 'question' | 'items'>,
  ): Promise<Message[]> {
    const last = items.flatMap(({ model, calls }) => [
      ...(model ? [model.messageId] : []),
      ...calls.flatMap(({ callId, result }) => (result ? [`${callId}.result`] : [])),
    ]);
    for (const leaf of [...last.reverse(), ...(question ? [question.id] : [])]) {
      if ((await storage.messages.get(principal, run.conversationId, leaf)) === null) continue;
      return storage.messages.branch(principal, run.conversationId, leaf);
    }
    return [];
  }
}
