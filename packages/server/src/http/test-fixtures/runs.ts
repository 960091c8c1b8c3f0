import type { Owner, RunEventBody, RunStatus, StoredInterrupt, UserMessage } from '@toolyard/protocol';
import { defined, RUN_EVENT_VERSION, ToolyardError } from '@toolyard/protocol';
import type { Clock, IdSource, LeasedRun, RunEvent } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';
import type { LiveHub, RunService, RunStart } from '../../services.ts';

const LEASE = { owner: 'test', ms: 60_000 };

/** A RunService for tests of the HTTP API: it stores requests but executes nothing; tests emit the events. */
export type TestRuns = RunService & {
  /** Stores events of a run and publishes them. */
  emit(runId: string, ...bodies: RunEventBody[]): void;
  finish(runId: string, status: 'done' | 'failed' | 'cancelled'): void;
  /** Opens an approval interrupt. */
  ask(runId: string, interruptId: string): void;
};

type Parts = { storage: Storage; hub: LiveHub; clock: Clock; ids: IdSource };

export function createTestRuns({ storage, hub, clock, ids }: Parts): TestRuns {
  const held = new Map<string, LeasedRun>();

  function start(
    principal: Owner,
    conversationId: string,
    message: UserMessage | null,
    { origin = 'chat', webhook }: RunStart = {},
  ): LeasedRun {
    const outcome = storage.runs.createRun(principal, {
      id: ids.next(),
      conversationId,
      origin,
      place: 'server',
      at: clock.now(),
      messages: message === null ? [] : [message],
      ...(message === null ? {} : { leaf: message.id }),
      configuration: { secret: 'state of the loop' },
      lease: LEASE,
      ...defined({ webhook }),
    });
    if (outcome.outcome !== 'created') throw new ToolyardError({ code: 'conflict', message: outcome.outcome });
    held.set(outcome.run.id, outcome.run);
    return outcome.run;
  }

  function commit(
    runId: string,
    bodies: readonly RunEventBody[],
    more: { status?: RunStatus; ask?: string } = {},
  ): void {
    const run = held.get(runId);
    if (run === undefined) throw new Error(`no run ${runId} was started here`);
    const events = bodies.map((body, at): RunEvent => ({
      v: RUN_EVENT_VERSION,
      seq: run.lastSeq + at + 1,
      runId,
      step: 0,
      attempt: 1,
      at: clock.now(),
      ...body,
    }));
    const interrupts = more.ask === undefined ? {} : { interrupts: { opened: [opened(more.ask)] } };
    const [outcome] = storage.runs.commit([
      {
        runId,
        fence: run.fence,
        baseSeq: run.lastSeq,
        events,
        durability: 'normal',
        ...interrupts,
        ...defined({ status: more.status }),
      },
    ]);
    if (outcome?.outcome !== 'committed') throw new Error(JSON.stringify(outcome));
    run.lastSeq = outcome.lastSeq;
    hub.runEvents(run.ownerId, events);
  }

  const finish: TestRuns['finish'] = (runId, status) =>
    commit(runId, [{ type: 'run_finished', status, usage: {} }], { status });

  return {
    emit: (runId, ...bodies) => commit(runId, bodies),
    finish,
    ask: (runId, interruptId) => commit(runId, [], { ask: interruptId }),
    async send(principal, conversationId, { id = ids.next(), parts, parentId, whenBusy }, startedAs) {
      const conversation = await storage.conversations.get(principal, conversationId);
      if (conversation === null) throw createMissingError('conversation');
      if (conversation.activeRun !== null) {
        if (whenBusy === 'refuse') throw new ToolyardError({ code: 'conflict', message: 'A run is under way.' });
        const queued = await storage.queue.add(principal, { id, conversationId, parts, at: clock.now() });
        if (queued) return { queued };
        throw new ToolyardError({ code: 'conflict', message: `Message ${id} has been said already.` });
      }
      const above = parentId === undefined ? conversation.leafId : parentId;
      const message: UserMessage = { id, parentId: above, createdAt: clock.now(), role: 'user', parts };
      return { run: start(principal, conversationId, message, startedAs), message };
    },
    async regenerate(principal, conversationId, { messageId }) {
      if ((await storage.messages.get(principal, conversationId, messageId)) === null)
        throw createMissingError('message');
      return { run: start(principal, conversationId, null) };
    },
    makeCall: () => Promise.reject(createMissingError('message')),
    async continue(principal, conversationId) {
      return { run: start(principal, conversationId, null), how: 'new' };
    },
    async cancel(principal, runId) {
      if (storage.runs.getRun(principal, runId) === null) throw createMissingError('run');
      if (held.has(runId)) finish(runId, 'cancelled');
      return storage.runs.getRun(principal, runId) ?? Promise.reject(createMissingError('run'));
    },
    async skipServers(principal, runId) {
      return storage.runs.getRun(principal, runId) ?? Promise.reject(createMissingError('run'));
    },
    async pause(principal, runId) {
      return storage.runs.getRun(principal, runId) ?? Promise.reject(createMissingError('run'));
    },
    async resume(principal, runId) {
      const run = storage.runs.getRun(principal, runId);
      if (run === null) throw createMissingError('run');
      return run.endedAt === null ? run : start(principal, run.conversationId, null);
    },
    async answer(principal, interruptId, answer): Promise<StoredInterrupt> {
      const { outcome } = storage.runs.answerInterrupt(principal, interruptId, answer, clock.now());
      if (outcome === 'not_found') throw createMissingError('interrupt');
      if (outcome === 'closed') throw new ToolyardError({ code: 'conflict', message: 'This was answered already.' });
      const all = storage.runs.listInterrupts(principal, { limit: 100 });
      return all.find(({ id }) => id === interruptId) ?? Promise.reject(createMissingError('interrupt'));
    },
    async signedIn() {},
    startInTab: () => Promise.reject(createMissingError('conversation')),
    takeInTab: () => Promise.reject(createMissingError('run')),
    renewInTab: () => Promise.reject(createMissingError('run')),
    commitFromTab: () => Promise.reject(createMissingError('run')),
    startSubAgentsInTab: () => Promise.reject(createMissingError('run')),
    readSubAgentsInTab: () => Promise.reject(createMissingError('run')),
    readToolsInTab: () => Promise.reject(createMissingError('run')),
    makeCallInTab: () => Promise.reject(createMissingError('run')),
    async resumeForTab() {},
    async tabReturned() {},
    async changeQueued(principal, conversationId, id, change) {
      return (
        (await storage.queue.change(principal, conversationId, id, change)) ??
        Promise.reject(createMissingError('message'))
      );
    },
    async removeQueued(principal, conversationId, id) {
      if (!(await storage.queue.remove(principal, conversationId, id))) throw createMissingError('message');
    },
    async sendQueued(principal, conversationId, id) {
      if ((await storage.queue.get(principal, conversationId, id)) === null) throw createMissingError('message');
      await storage.queue.change(principal, conversationId, id, {});
    },
  };
}

function opened(id: string) {
  const tool = { serverId: 'files', name: 'delete' };
  const interrupt = { id, kind: 'approval', callId: `${id}.call`, tool, name: 'delete', arguments: {} } as const;
  return { interrupt, mode: 'parked' } as const;
}

function createMissingError(what: string): ToolyardError {
  return new ToolyardError({ code: 'not_found', message: `There is no such ${what}.` });
}
