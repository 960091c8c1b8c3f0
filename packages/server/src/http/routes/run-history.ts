import type { Message, Principal, RunExport, RunRecord, SentMessage, StartRun } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { readSteps } from '../../runs/run-steps.ts';
import { textAnswer } from '../answers.ts';
import { inlineBlobs } from '../inline-blobs.ts';
import { attachmentOf } from '../file-name.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../router.ts';
import { runMarkdown } from '../run-markdown.ts';
import { toRunView } from '../run-view.ts';
import type { HttpAppOptions } from '../types.ts';
import { checkParts } from '../user-parts.ts';

/** Routes that start runs without a conversation and show what runs did. */
export function addRunHistoryRoutes({ route }: Router, deps: HttpAppOptions): void {
  const { storage, runs, clock, ids, hub } = deps;

  route('POST /api/runs', async ({ principal, body }) => {
    await checkParts(body.parts, async (sha256) => storage.blobs.touch(principal, sha256, clock.now()));
    const sent = await begin(principal, body);
    if ('run' in sent) return { run: toRunView(sent.run), message: sent.message };
    throw new ToolyardError({ code: 'conflict', message: 'The message with this id is queued behind another run.' });
  });

  route('GET /api/runs/{id}/steps', async ({ principal, params: { id } }) => {
    const run = await find(principal, id);
    return { ...(await readSteps(storage.runs, principal, run, clock.now())), run: toRunView(run) };
  });

  route('GET /api/runs/{id}/export', async ({ c, principal, params: { id }, query: { format } }) => {
    const run = await find(principal, id);
    const whole = await exported(principal, run);
    const isJson = format === 'json';
    return textAnswer(isJson ? `${JSON.stringify(whole, null, 2)}\n` : runMarkdown(whole), {
      status: 200,
      acceptEncoding: c.req.header('accept-encoding'),
      headers: {
        'content-type': isJson ? 'application/json' : 'text/markdown; charset=utf-8',
        'content-disposition': attachmentOf(`run ${id}`, isJson ? 'json' : 'md'),
        'cache-control': 'no-store',
      },
    });
  });

  async function find(principal: Principal, id: string): Promise<RunRecord> {
    const run = await storage.runs.getRun(principal, id);
    if (run === null) throw notFound('run', id);
    return run;
  }

  async function begin(principal: Principal, request: StartRun): Promise<SentMessage> {
    const { conversationId, agentId, title = '', parts, configuration, id = ids.next() } = request;
    const message = { id, parts, whenBusy: 'refuse', ...defined({ configuration }) } as const;
    const known = conversationId ?? (await storage.runs.getRun(principal, id))?.conversationId;
    if (known !== undefined) return runs.send(principal, known, message, 'api');
    if (agentId !== undefined && (await storage.agents.get(principal, agentId)) === null) {
      throw notFound('agent', agentId);
    }
    const ofAgent = agentId === undefined ? {} : { agentId };
    const conversation = { id: ids.next(), title, at: clock.now(), ...ofAgent };
    await storage.conversations.create(principal, conversation);
    try {
      const sent = await runs.send(principal, conversation.id, message, 'api');
      hub.changed(principal.ownerId, 'conversations', conversation.id);
      return sent;
    } catch (thrown) {
      // The conversation would stay empty.
      await storage.conversations.remove(principal, conversation.id, clock.now());
      throw thrown;
    }
  }

  async function exported(principal: Principal, run: RunRecord): Promise<RunExport> {
    const steps = await readSteps(storage.runs, principal, run, clock.now());
    const messages: Message[] = [];
    for (const message of await messagesOf(principal, steps)) {
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
  async function messagesOf(
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
