import type { Principal, RunResult, SentMessage, StartRun, UserPart, ToolyardError } from '@toolyard/protocol';
import { defined, textOf, say } from '@toolyard/protocol';
import { createConflictError } from '../../errors.ts';
import { ensureConversation } from '../../runs/start/ensure-conversation.ts';
import { readEnd } from '../../runs/read/read-end.ts';
import type { RunStart } from '../../services.ts';
import { jsonAnswer } from '../responses.ts';
import { limitedTo } from '../auth/limited-keys.ts';
import { requireScope } from '../auth/scopes.ts';
import { runFrames } from '../transport/frames.ts';
import { requestId } from '../transport/idempotency.ts';
import { checkStart, countStart, findStarter } from '../transport/start-limits.ts';
import { notFound } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import { toRunView } from '../views/run-view.ts';
import type { RouteContext } from '../route-context.ts';
import { checkParts } from '../chat-calls/user-parts.ts';

/** `POST /api/runs`: starts a run, and waits for its result, streams its events, or returns at once. */
export function addStartRunRoute({ route }: Router, deps: RouteContext): void {
  const { storage, runs, clock, hub, streams, webhooks, eventStreams } = deps;

  route('POST /api/runs', async ({ c, principal, body }) => {
    const { task, wait, stream, webhook, id: chosen, ...rest } = await checkStart(principal, body, storage);
    if (wait !== undefined || stream === true) requireScope(principal, 'read');
    const parts: UserPart[] = task === undefined ? (rest.parts ?? []) : [{ type: 'text', text: task }];
    await checkParts(parts, async (sha256) => storage.blobs.touch(principal, sha256, clock.now()));
    // How the result is received may differ when a request is repeated.
    const { wait: _wait, stream: _stream, ...asked } = body;
    const { id, release } = await requestId(c, principal, { body: asked, chosen }, deps);
    const isKnown = await isRepeated(principal, id);
    const starter = findStarter(principal);
    let ofRun: Awaited<ReturnType<typeof webhooks.forRun>> | undefined;
    let sent: SentMessage;
    try {
      if (!isKnown) await countStart(principal, deps);
      ofRun = webhook && (await webhooks.forRun(principal, id, webhook));
      sent = await begin(
        principal,
        { ...rest, parts, id },
        { origin: 'api', ...defined({ starter, webhook: ofRun?.webhook }) },
      );
    } catch (thrown) {
      if (ofRun && !isKnown) await webhooks.forgetRun(principal, id);
      await release();
      throw thrown;
    }
    if ('queued' in sent) throw createQueuedError();
    if (stream === true) {
      return eventStreams.answer(c, principal, (signal) => streams.readRun(principal, id, 0, signal), runFrames);
    }
    const started = { run: toRunView(sent.run), message: sent.message, ...defined({ webhookSecret: ofRun?.secret }) };
    if (wait === undefined) return started;
    await eventStreams.whileConnected(c, principal, (signal) => untilRest(principal, id, wait * 1_000, signal));
    const run = (await storage.runs.getRun(principal, id)) ?? sent.run;
    const result = await findResult(principal, id);
    const answer = { ...started, run: toRunView(run), ...defined({ result }) };
    const acceptEncoding = c.req.header('accept-encoding');
    return jsonAnswer(answer, { status: result ? 201 : 202, acceptEncoding });
  });

  /** True if the run exists. The id may be chosen by the client: it must not lead to what another client started. */
  async function isRepeated(principal: Principal, id: string): Promise<boolean> {
    const run = await storage.runs.getRun(principal, id);
    const startedBy = limitedTo(principal);
    if (run !== null && startedBy !== undefined && run.startedBy !== startedBy) throw createUsedError(id);
    return run !== null;
  }

  type Begun = Pick<StartRun, 'conversationId' | 'agentId' | 'title' | 'configuration'> & {
    id: string;
    parts: UserPart[];
  };

  /** A new conversation has the id of the run: repeated after a crash, it finds what is stored. */
  async function begin(principal: Principal, request: Begun, start: RunStart): Promise<SentMessage> {
    const { conversationId, agentId, title = '', parts, configuration, id } = request;
    const message = { id, parts, whenBusy: 'refuse', ...defined({ configuration }) } as const;
    const known = conversationId ?? (await storage.runs.getRun(principal, id))?.conversationId;
    if (known !== undefined) return runs.send(principal, known, message, start);
    if (agentId !== undefined && (await storage.agents.get(principal, agentId)) === null) {
      throw notFound('agent', agentId);
    }
    const there = await storage.conversations.get(principal, id);
    // What an earlier attempt has left is empty; any other conversation is not this run's.
    if (there !== null && (there.leafId !== null || there.agentId !== (agentId ?? null))) throw createUsedError(id);
    await ensureConversation(principal, { id, title, agentId: agentId ?? null, at: clock.now() }, storage);
    try {
      const sent = await runs.send(principal, id, message, start);
      hub.changed(principal.ownerId, 'conversations', id);
      return sent;
    } catch (thrown) {
      // The conversation would stay empty. A concurrent request with the same key may have started the run.
      if ((await storage.runs.getRun(principal, id)) === null) await storage.conversations.purge(principal, id);
      throw thrown;
    }
  }

  /** Resolves when the run has ended or waits for the user, the time is over, or the client is gone. */
  async function untilRest(principal: Principal, id: string, ms: number, gone: AbortSignal): Promise<void> {
    const timeout = new AbortController();
    const stop = clock.after(ms, () => timeout.abort());
    try {
      const signal = AbortSignal.any([gone, timeout.signal]);
      for await (const events of (await streams.readRun(principal, id, 0, signal)) ?? []) {
        if (events.some(({ type }) => type === 'run_finished')) return;
        // A run that waits for its sub-agents is parked too.
        if (events.at(-1)?.type !== 'run_parked') continue;
        const open = await storage.runs.listInterrupts(principal, { runId: id, status: 'open', limit: 1 });
        if (open.length > 0) return;
      }
    } finally {
      stop();
    }
  }

  async function findResult(principal: Principal, id: string): Promise<RunResult | undefined> {
    const end = await readEnd(storage.runs, principal, id);
    if (end === null) return undefined;
    const { status, answer, usage, cost, error } = end;
    return { status, text: answer ? textOf(answer) : '', usage, ...defined({ cost, error }) };
  }
}

function createUsedError(id: string): ToolyardError {
  return createConflictError(say`The id ${id} is already used.`);
}

function createQueuedError(): ToolyardError {
  return createConflictError('The message with this id is queued behind another run.');
}
