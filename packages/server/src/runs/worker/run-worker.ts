import type { CommitPump, RunConversation, StoredRun } from '@toolyard/agent-host/durable';
import { DurableRun, isComplete, RunLost } from '@toolyard/agent-host/durable';
import { memberView, supervisorInstructions } from '@toolyard/agent-runtime';
import type { Failpoint, InboxItem, LeasedRun, Message, Owner, RunStatus, UserPart } from '@toolyard/protocol';
import { isStorageFault, toErrorInfo } from '@toolyard/protocol';
import { mediaToBlobs, textsToFiles } from '@toolyard/storage';
import type { SharedStorage } from '@toolyard/storage';
import type { OpenedGroup } from '../../groups/open-group.ts';
import { openGroup } from '../../groups/open-group.ts';
import type { LiveHub } from '../../services.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { RunAccessServices } from './open-run-access.ts';
import { openRunAccess } from './open-run-access.ts';
import { readStoppedRun } from './read-stopped-run.ts';
import type { RunInboxItems } from '../queue/run-inbox.ts';
import { readInboxItems } from '../queue/run-inbox.ts';
import { keepFilesOfRun } from '../keep-files.ts';
import { partsInPlace, withBlobsInPlace } from './run-media.ts';
import type { RunConfiguration } from './stored-run.ts';
import { readStoredRun } from './stored-run.ts';
import { toAskedBy } from '../start/key-limits.ts';
import { readChildUsage } from '../sub-agents/child-usage.ts';
import { recoverRun } from './recover-run.ts';

export type RunWorkerServices = RunAccessServices & {
  storage: Pick<
    SharedStorage,
    | 'runs'
    | 'messages'
    | 'blobs'
    | 'permissions'
    | 'queue'
    | 'requestPreludes'
    | 'usage'
    | 'groups'
    | 'agents'
    | 'apiKeys'
  >;
  pump: CommitPump;
  hub: Pick<LiveHub, 'changed'>;
  telemetry?: Pick<Telemetry, 'onClaimed' | 'traced'>;
  failpoint?: Failpoint;
};

/**
 * How the work of this process on a run ended. `parked`: it waits for the user; `inboxWaits`: and a message arrived in
 * the same moment. `leaseLost`: this process no longer has the lease of the run.
 */
export type WorkResult =
  | { end: 'over'; status: RunStatus; sendNext: string | null }
  | { end: 'parked'; inboxWaits: boolean }
  | { end: 'leaseLost'; error: RunLost };

/** How long aborted work may take to stop; it writes nothing more. */
const ABORT_GRACE_MS = 500;

/** Where the run continues, which attempt of its step begins, and its stored calls. */
type ContinuedRun = Pick<Parameters<DurableRun['begin']>[0], 'point' | 'attempt' | 'ledger'>;

type OpenedRun = ReturnType<typeof readStoredRun> & { group: OpenedGroup | undefined; conversation: RunConversation };

/** Executes one run while this process has its lease: until it has ended or is parked. */
export class RunWorker {
  readonly run: LeasedRun;
  readonly result: Promise<WorkResult>;
  readonly #services: RunWorkerServices;
  readonly #principal: Owner;
  readonly #durable: DurableRun;
  readonly #skipServers = new AbortController();
  /** Read again until the commit that removes them is stored. */
  readonly #skipsTaken = new Set<string>();
  #sendNext: string | null = null;
  #leaving = false;

  /** `isNew`: this process has just created the run, so that there is nothing to recover. */
  constructor(run: LeasedRun, services: RunWorkerServices, isNew: boolean) {
    this.run = run;
    this.#services = services;
    const principal: Owner = { ownerId: run.ownerId };
    this.#principal = principal;
    const { pump, clock, storage, hub, failpoint } = services;
    const keep = keepFilesOfRun({ storage, principal, clock });
    this.#durable = new DurableRun({
      run,
      pump,
      clock,
      keepMedia: (value) => mediaToBlobs(value, keep),
      keepResult: (result) => textsToFiles(result, (text, mimeType) => keep(Buffer.from(text), mimeType)),
      onInterruptChange: () => hub.changed(run.ownerId, 'interrupts', run.conversationId),
      failpoint,
    });
    this.result = this.#work(isNew);
  }

  /** Reads the inbox of the run and acts on it. Throws storage errors. */
  async listen(): Promise<void> {
    const items = await this.#services.storage.runs.readInbox(this.run.id, this.run.fence);
    if (items !== null) this.#receive(items);
  }

  #receive(items: readonly InboxItem[]): RunInboxItems {
    const inboxItems = readInboxItems(items);
    const { cancels, sendNext, skips } = inboxItems;
    const taken = skips.filter((id) => !this.#skipsTaken.has(id));
    if (taken.length > 0) {
      for (const id of taken) this.#skipsTaken.add(id);
      this.#durable.writer.keep({ taken }, 'later');
      this.#skipServers.abort();
    }
    this.#sendNext = sendNext ?? this.#sendNext;
    this.#durable.receive({ ...inboxItems, stops: cancels.length > 0 || sendNext !== null });
    return inboxItems;
  }

  /** Another process has the lease: this one writes nothing more. */
  drop(): void {
    this.#durable.writer.lose(new RunLost('stale', 'the lease was lost'));
  }

  /**
   * Leaves the run to the next process: after the tool calls in progress, for at most `callMs`; a model's answer is cut
   * off. Resolves when nothing more is written.
   */
  async release(callMs: number): Promise<void> {
    this.#leaving = true;
    const { ledger, writer } = this.#durable;
    if (ledger?.hasCallsInProgress) await this.#settledWithin(callMs);
    const stopped = Promise.withResolvers<void>();
    // A call sent during the last commit would have an unknown outcome for no reason.
    this.#durable.ledger?.leave(stopped.promise);
    // Streamed text is kept: the next process marks it as abandoned.
    await writer.flushed().catch(() => {});
    writer.lose(new RunLost('let_go', 'this process is shutting down'));
    stopped.resolve();
    await this.#settledWithin(ABORT_GRACE_MS);
  }

  #settledWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#services.clock.after(ms, resolve);
      void this.result.finally(() => {
        cancel();
        resolve();
      });
    });
  }

  async #work(isNew: boolean): Promise<WorkResult> {
    try {
      const opened = await this.#open();
      if (isNew) return await this.#drive(opened, { point: opened.point, attempt: 1, ledger: [] });
      const recovered = await this.#recover(opened);
      return 'end' in recovered ? recovered : await this.#drive(opened, recovered);
    } catch (thrown) {
      const runLost = isStorageFault(thrown) ? storeFailed(thrown) : thrown;
      if (!(runLost instanceof RunLost) || runLost.reason === 'invalid') return await this.#failOutright(thrown);
      return { end: 'leaseLost', error: runLost };
    }
  }

  async #open(): Promise<OpenedRun> {
    const { storage, telemetry } = this.#services;
    const stored = readStoredRun(this.run);
    const { configuration, steers = [] } = stored;
    this.#durable.steering.addUnclaimed(steers);
    telemetry?.onClaimed(this.run, configuration);
    const group = configuration.group && (await openGroup(this.#principal, configuration.group, storage));
    return { ...stored, group, conversation: await this.#openConversation(stored, group) };
  }

  /** Closes what the last process left open, and applies messages received since. */
  async #recover({ conversation, ...stored }: OpenedRun): Promise<ContinuedRun | WorkResult> {
    const { run } = this;
    const { storage, clock } = this.#services;
    const ledger = (await storage.runs.readLedger(this.#principal, run.id)) ?? [];
    const inboxItems = this.#receive((await storage.runs.readInbox(run.id, run.fence)) ?? []);
    const recovered = await recoverRun({
      run,
      stored,
      store: storage.runs,
      writer: this.#durable.writer,
      conversation,
      clock,
      inboxItems,
      ending: this.#durable.ending,
      readUsage: (children) => readChildUsage(storage, this.#principal, { children, at: clock.now() }),
    });
    if (recovered.parked) return { end: 'parked', inboxWaits: recovered.inboxWaits };
    return { point: recovered.point, attempt: recovered.attempt, ledger };
  }

  async #drive({ configuration, group, conversation }: OpenedRun, continued: ContinuedRun): Promise<WorkResult> {
    const { run } = this;
    const { signal, onAwaited, drive } = this.#durable.begin({
      ...continued,
      configuration,
      principal: run.ownerId,
      askedBy: toAskedBy(configuration.starter),
      place: 'server',
      conversation,
      findQueued: (id) => this.#findQueued(id),
      onSteered: () => this.#services.hub.changed(run.ownerId, 'queue', run.conversationId),
      // Nothing is in progress between two steps, so it can leave here.
      beforeStep: () => {
        if (this.#leaving) throw new RunLost('let_go', 'this process is shutting down');
      },
      onDefect: (thrown) => this.#onDefect(thrown),
    });
    const wait = { skip: this.#skipServers.signal, onAwaited };
    const accessed = { run, configuration, conversation, group, signal, wait };
    const { status, inboxWaits } = await drive(this.#durable.ending ? null : openRunAccess(accessed, this.#services));
    return status === 'parked' ? { end: 'parked', inboxWaits } : { end: 'over', status, sendNext: this.#sendNext };
  }

  async #openConversation(
    stored: StoredRun & { configuration: RunConfiguration },
    group: OpenedGroup | undefined,
  ): Promise<RunConversation> {
    const { messages, blobs } = this.#services.storage;
    const { inherits = [], member } = stored.configuration.subAgent ?? {};
    const readBranch = (conversationId: string, leafId: string): Promise<Message[]> =>
      messages.branch(this.#principal, conversationId, leafId);
    const above = await Promise.all(inherits.map((from) => readBranch(from.conversationId, from.leafId)));
    const inherited = member ? above.flatMap((branch) => memberView(branch, member.agentId)) : above.flat();
    const branch = [...inherited, ...(await readBranch(this.run.conversationId, stored.leafId))];
    const readable = branch.filter(isComplete).map((message) => withBlobsInPlace(message, blobs, this.#principal));
    const instructions = getInstructions(stored.configuration, group);
    return this.#durable.openConversation({ ...stored, instructions }, await Promise.all(readable));
  }

  async #findQueued(id: string): Promise<{ parts: UserPart[]; readable: UserPart[] } | null> {
    const { queue, blobs } = this.#services.storage;
    const queued = await queue.get(this.#principal, this.run.conversationId, id);
    if (!queued) return null;
    const { parts } = queued;
    return { parts, readable: await partsInPlace(parts, blobs, this.#principal) };
  }

  /** A storage error does not fail the run: it is resumed from the last commit. */
  #onDefect(thrown: unknown): void {
    if (isStorageFault(thrown)) this.#durable.writer.lose(storeFailed(thrown));
    else if (!(thrown instanceof RunLost)) this.#services.log(`run ${this.run.id}: ${describe(thrown)}`);
  }

  /** The state of the run is unreadable, or its commit was rejected: it fails with that error. */
  async #failOutright(thrown: unknown): Promise<WorkResult> {
    const { storage, log } = this.#services;
    log(`run ${this.run.id}: ${describe(thrown)}`);
    try {
      await this.#durable.fail(toErrorInfo(thrown), (storedSeq) => readStoppedRun(storage, this.run, storedSeq));
      return { end: 'over', status: 'failed', sendNext: null };
    } catch (again) {
      return { end: 'leaseLost', error: again instanceof RunLost ? again : new RunLost('engine', describe(again)) };
    }
  }
}

/** The supervisor of a group gets the list of its members, who may have changed. */
function getInstructions({ instructions: own }: RunConfiguration, group: OpenedGroup | undefined): string {
  if (group?.settings.mode !== 'supervisor') return own;
  const { description, settings } = group;
  return [own, supervisorInstructions(description, settings.maxRounds)].filter((text) => text !== '').join('\n\n');
}

function storeFailed(cause: unknown): RunLost {
  return new RunLost('engine', 'the storage failed', { cause });
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
