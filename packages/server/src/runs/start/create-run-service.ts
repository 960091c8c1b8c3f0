import type { FunctionTools } from '@toolyard/agent-host';
import { CommitPump } from '@toolyard/agent-host/durable';
import type { Clock, Failpoint, IdSource, Owner, RunRecord, UserPart } from '@toolyard/protocol';
import { defined, isStorageFault, messageOf } from '@toolyard/protocol';
import { mediaToBlobs } from '@toolyard/storage';
import type { SharedStorage } from '@toolyard/storage';
import { getLayers } from '../../config/configuration-layers.ts';
import { createAutoConfirmation } from '../../config/auto-confirmation.ts';
import type { RunMetrics } from '../../metrics/metrics.ts';
import type { ConversationTitles } from '../../models/conversation-titles.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Configurations, LiveHub, Models, RunService, RunServers } from '../../services.ts';
import type { TabToolSource } from '../../tabs/tab-tool-source.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { repeat } from '../../repeat.ts';
import { startHousekeeping } from '../worker/housekeeping.ts';
import { LeaseKeeper } from '../worker/leases.ts';
import { MessageQueue } from '../queue/message-queue.ts';
import type { RunAccessServices } from '../worker/open-run-access.ts';
import { RunWorkerPool } from '../worker/run-worker-pool.ts';
import { createRunCommands } from './run-commands.ts';
import type { CanContinue, StartRun } from './start-run.ts';
import { createSubAgents } from '../sub-agents/sub-agents.ts';
import { createTabRuns } from '../tab/tab-runs.ts';
import type { TabToolCalls } from '../tab/tab-tool-calls.ts';
import { TabToolCallMaker } from '../tab/tab-tool-calls.ts';
import { startRun } from './start-run.ts';

export type CreateRunServiceOptions = {
  storage: SharedStorage;
  models: Pick<Models, 'open' | 'price' | 'abilities'>;
  servers: Pick<RunServers, 'select' | 'approve' | 'unsandboxed'>;
  secrets: Pick<Secrets, 'seal' | 'unseal'>;
  tabs: TabToolSource;
  configurations: Configurations;
  /** The function tools of this process. */
  functions: FunctionTools;
  skills?: RunAccessServices['skills'];
  hub: LiveHub;
  clock: Clock;
  ids: IdSource;
  /** Receives log lines. */
  log: (line: string) => void;
  /** Notifies the other processes with the same database of a message for a run. */
  wakeElsewhere?: (runId: string) => void;
  metrics?: RunMetrics;
  /** False: runs are started here and executed by other processes; default true. */
  executesRuns?: boolean;
  /** Set in a process without tools: another process makes the calls of runs in tabs. */
  tabToolsElsewhere?: TabToolCalls;
  telemetry?: Pick<Telemetry, 'onClaimed' | 'published' | 'traced'>;
  /** Data besides the configuration that decisions about calls depend on. */
  policy?: NonNullable<RunAccessServices['policy']>;
  /**
   * Passed at `run:created`, `run:planned`, `run:sent`, `run:returned`, `run:streaming`, `run:step`, `run:stepped`,
   * `run:parked` and `run:finished`.
   */
  failpoint?: Failpoint;
  /** Called when a run is about to start, and when one has ended. */
  titles?: Pick<ConversationTitles, 'beforeRun' | 'afterRun'>;
  /** Lease of a run without renewal; default 10 s. */
  leaseMs?: number;
  /** Interval at which this process scans for runs without a lease; default 3 s. */
  claimExpiredEveryMs?: number;
  /** How long calls in progress may take when the process stops; default 5 s. */
  lastCallsMs?: number;
};

/** The durable runs of a process. */
export type DurableRuns = RunService & {
  /** The tools of this process for runs in tabs. */
  tabTools: TabToolCalls;
  /** Resumes every run that the last process left. Resolves when they are claimed, not when they end. */
  start(): Promise<void>;
  /** Another process has stored a message for this run. */
  wake(runId: string): void;
  /** Releases all runs without cancelling them; the next process resumes them. Idempotent. */
  close(): Promise<void>;
};

/** Together with the poll interval, failover of a crashed process takes at most 15 s. */
const LEASE_MS = 10_000;
/**
 * Upper bound for batching commits. Commits to a database are asynchronous, so long pauses help less than with a file,
 * and delay every delta for readers.
 */
const MAX_DELAY_OVER_SOCKET_MS = 30;
/** Maximum delay of queued messages that another process could not send. */
const SEND_DUE_EVERY_MS = 5_000;

export function createRunService(options: CreateRunServiceOptions): DurableRuns {
  const { storage, configurations, models, hub, clock, ids, log, metrics, telemetry, executesRuns = true } = options;
  const terms = { owner: ids.next(), ms: options.leaseMs ?? LEASE_MS };
  const failpoint = options.failpoint ? { failpoint: options.failpoint } : {};
  const pump = new CommitPump({
    store: storage.runs,
    clock,
    publish: (ownerId, events) => {
      hub.runEvents(ownerId, events);
      metrics?.published(events);
      telemetry?.published(events);
    },
    onStored: (runs, ms) => metrics?.stored(runs, ms),
    onFailure: (error) => {
      metrics?.failed();
      keeper.pause(error);
      log(`runs: could not be stored: ${messageOf(error)}`);
    },
    ...(options.wakeElsewhere ? { maxDelayMs: MAX_DELAY_OVER_SOCKET_MS } : {}),
    ...failpoint,
  });
  function over(run: RunRecord, status: RunRecord['status'], sendNext: string | null): void {
    queue
      .afterRun({ ownerId: run.ownerId }, run.conversationId, status, sendNext)
      .catch((error: unknown) => log(`queue: ${messageOf(error)}`))
      // A queued message goes first.
      .finally(() => options.titles?.afterRun(run, status));
  }
  const stop = new AbortController();
  const toStart = {
    storage,
    configurations,
    models,
    hub,
    clock,
    titles: options.titles,
    stopping: stop.signal,
    ...(executesRuns ? { terms } : {}),
    ...failpoint,
  };
  const ofRuns = {
    ...options,
    auto: createAutoConfirmation({ settings: storage.settings, servers: options.servers, clock }),
    stopping: stop.signal,
    subAgents: (of: Parameters<RunAccessServices['subAgents']>[0]) => createSubAgents(of, { ...toStart, pool }),
  };
  const pool: RunWorkerPool = new RunWorkerPool({ ...ofRuns, pump, terms, onOver: over });
  const callMaker = new TabToolCallMaker(ofRuns);
  const keeper = new LeaseKeeper({
    store: storage.runs,
    pool,
    terms,
    clock,
    log,
    afterScan: () => queue.sendDue(),
    ...defined({ claimExpiredEveryMs: options.claimExpiredEveryMs }),
  });

  let closing: Promise<void> | null = null;
  const start: StartRun = (principal, request) => startRun(principal, request, { ...toStart, pool });
  const keepMedia = (principal: Owner, parts: UserPart[]): Promise<UserPart[]> =>
    mediaToBlobs(parts, (bytes, mimeType) => storage.blobs.put(principal, bytes, { mimeType, at: clock.now() }));
  const queue = new MessageQueue({ storage, pool, hub, clock, keepMedia, start, log });
  const canContinue: CanContinue = async (principal, conversation, { agentId, configuration: run } = {}) => {
    const { model } = await configurations.resolve(principal, getLayers(conversation, { agentId, run }));
    if (!model) return false;
    try {
      return (await models.open(principal, model)).canContinue === true;
    } catch (thrown) {
      if (isStorageFault(thrown)) throw thrown;
      // The run reports a missing provider.
      return false;
    }
  };
  const commands = createRunCommands({
    storage,
    servers: options.servers,
    configurations,
    tabs: options.tabs,
    queue,
    pool,
    hub,
    clock,
    ids,
    keepMedia,
    start,
    canContinue,
  });
  const inTabs = createTabRuns({
    storage,
    toolCalls: options.tabToolsElsewhere ?? callMaker,
    port: () => options.policy?.().own?.port,
    pump,
    hub,
    clock,
    newId: () => ids.next(),
    keepMedia,
    start,
    details: (...asked) => models.abilities(...asked),
    canContinue,
    readBudgets: (principal, conversation, { agentId }) =>
      configurations.resolve(principal, getLayers(conversation, { agentId })),
    subAgents: ofRuns.subAgents,
    onOver: (run, status) => over(run, status, null),
  });
  let stopHousekeeping = (): void => {};
  let stopSending: (() => Promise<void>) | undefined;

  return {
    ...commands,
    ...inTabs,
    tabTools: callMaker,
    async start() {
      if (!executesRuns) return;
      await keeper.start();
      await queue.sendDue();
      // Another process may stop after a run ends, before it sends the next queued message.
      if (options.wakeElsewhere) {
        const pauses = { pauseMs: SEND_DUE_EVERY_MS, delayMs: SEND_DUE_EVERY_MS };
        stopSending = repeat({ what: 'queue', clock, log, ...pauses }, () => queue.sendDue());
      }
      stopHousekeeping = startHousekeeping({ storage, clock, log });
    },
    wake(runId) {
      pool.wakeHere(runId).catch((error: unknown) => {
        log(`run ${runId}: ${messageOf(error)}`);
      });
    },
    close() {
      closing ??= (async () => {
        keeper.close();
        stopHousekeeping();
        const sent = stopSending?.();
        stop.abort();
        await Promise.all([sent, pool.close(), callMaker.close()]);
        await pump.drain();
      })();
      return closing;
    },
  };
}
