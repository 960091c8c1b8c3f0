import { createHash } from 'node:crypto';
import type { CommitPump, StoredRun } from '@toolyard/agent-host/durable';
import { DurableRun, isComplete, RunLost } from '@toolyard/agent-host/durable';
import type {
  Clock,
  CommitFromTab,
  CommittedFromTab,
  LeasedTabRun,
  JsonObject,
  LeasedRun,
  LeaseTerms,
  Owner,
  RunRecord,
  StartRunInTab,
  TabRunInbox,
  UserMessage,
  UserPart,
  ToolyardError,
} from '@toolyard/protocol';
import { budgetKey, canonicalJson, defined, say } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import { mediaToBlobs } from '@toolyard/storage';
import { createConflictError, createInvalidError, createNotFoundError } from '../../errors.ts';
import { keepFilesOfRun } from '../keep-files.ts';
import type { LiveHub, Models, RunsInTabs } from '../../services.ts';
import { regenerateConfiguration } from '../start/regenerate.ts';
import {
  checkSteering,
  checkTabCommit,
  filesNamedBy,
  steeringMessages,
  hasSameParts,
  createForbiddenWriteError,
} from './check-tab-commit.ts';
import type { TabRunDetails } from './check-tab-interrupts.ts';
import { checkTabAnswers, checkTabInterrupts, interruptsIn, withAskedBy } from './check-tab-interrupts.ts';
import { toAskedBy } from '../start/key-limits.ts';
import { continueRun, refuseContinue } from '../start/continue-run.ts';
import { needsModelDetails } from '../start/needs-model-details.ts';
import { answeringAgent } from '../start/answering-agent.ts';
import { readInboxItems } from '../queue/run-inbox.ts';
import { getMention } from '../start/mention.ts';
import type { CanContinue, StartRequest, StartRun } from '../start/start-run.ts';
import { createNoConversationError } from '../start/start-run.ts';
import type { RunConfiguration, RunStarter } from '../worker/stored-run.ts';
import { readStoredRun } from '../worker/stored-run.ts';
import { readChildUsage } from '../sub-agents/child-usage.ts';
import type { OpenedGroup } from '../../groups/open-group.ts';
import { openGroup } from '../../groups/open-group.ts';
import type { TabSubAgentsOptions } from './tab-sub-agents.ts';
import { createTabSubAgents } from './tab-sub-agents.ts';
import type { TabToolCalls } from './tab-tool-calls.ts';
import { createTabTools } from './tab-tools.ts';
import { callPartIn, messageIdOfCall, storedCallPart } from '../read/stored-tool-call.ts';
import { recoverRun } from '../worker/recover-run.ts';

export type TabRunsOptions = {
  storage: SharedStorage;
  /** The tools of the server for these runs. */
  toolCalls: TabToolCalls;
  /** The port of this server. */
  port: () => number | undefined;
  pump: CommitPump;
  hub: LiveHub;
  clock: Clock;
  newId: () => string;
  keepMedia: (principal: Owner, parts: UserPart[]) => Promise<UserPart[]>;
  start: StartRun;
  /** Limits of a model; its provider is queried only if that matters. */
  details: Models['abilities'];
  canContinue: CanContinue;
  /** The current budgets of a run in this conversation. */
  readBudgets: (
    principal: Owner,
    conversation: StoredConversation,
    run: Pick<RunRecord, 'agentId'>,
  ) => Promise<Pick<RunConfiguration, 'budgets'>>;
  subAgents: TabSubAgentsOptions['subAgents'];
  /** The run has ended: queued messages of its conversation may be sent. */
  onOver: (run: RunRecord, status: RunRecord['status']) => void;
};

/** Browsers wake hidden tabs once a minute. */
const LEASE_MS = 90_000;
const PREFIX = 'tab:';

/**
 * Runs whose loop executes in a browser tab. The tab has the lease; the server validates, stores and publishes its
 * commits.
 */
export function createTabRuns(options: TabRunsOptions): RunsInTabs {
  const { storage, hub, clock } = options;

  const keep = <T>(principal: Owner, value: T): Promise<T> =>
    mediaToBlobs(value, keepFilesOfRun({ storage, principal, clock }));

  async function getRun(principal: Owner, runId: string): Promise<RunRecord> {
    const run = await storage.runs.getRun(principal, runId);
    if (run?.place === 'browser') return run;
    throw createNotFoundError(say`There is no run ${runId} in a tab.`);
  }

  async function readInbox(
    principal: Owner,
    run: Pick<RunRecord, 'id' | 'conversationId' | 'agentId'>,
    fence: number,
    configuration: Pick<RunConfiguration, 'budgets'> | null,
  ): Promise<TabRunInbox> {
    const items = await storage.runs.readInbox(run.id, fence);
    if (items === null) throw createStaleTabError(run.id);
    const { cancels, sendNext, answers, ...inboxItems } = readInboxItems(items);
    const { conversationId, agentId } = run;
    const steers = inboxItems.steers.map(async ({ itemId, queuedMessageId }) => {
      const queued = await storage.queue.get(principal, conversationId, queuedMessageId);
      return { itemId, queuedMessageId, parts: queued?.parts ?? null };
    });
    const spent: TabRunInbox['spent'] = {};
    for (const budget of configuration?.budgets ?? []) {
      if (budget.of === 'run' || budget.of === 'turn') continue;
      const of = { conversationId, agentId, at: clock.now() };
      spent[budgetKey(budget)] = await storage.usage.spent(principal, budget, of);
    }
    return {
      cancels,
      stops: cancels.length > 0 || sendNext !== null,
      answers,
      steers: await Promise.all(steers),
      permissions: await storage.permissions.list(principal, { conversationId }),
      spent,
    };
  }

  /** Closes what the previous tab left open, applies messages received since, and returns the state. */
  async function handOver(principal: Owner, run: LeasedRun): Promise<LeasedTabRun | null> {
    const stored = readStoredRun(run);
    const { configuration } = stored;
    const durable = new DurableRun({ run, pump: options.pump, clock, keepMedia: (value) => keep(principal, value) });
    const { writer } = durable;
    const branch = (await storage.messages.branch(principal, run.conversationId, stored.leafId)).filter(isComplete);
    const conversation = durable.openConversation({ ...stored, instructions: '' }, branch);
    const items = (await storage.runs.readInbox(run.id, run.fence)) ?? [];
    const taken = await recoverRun({
      run,
      // Steering messages stay in the inbox until the tab has added them; they do not resume a parked run.
      stored: { ...stored, steers: [] },
      store: storage.runs,
      writer,
      conversation,
      clock,
      inboxItems: { ...readInboxItems(items), steers: [] },
      ending: null,
      readUsage: (children) => readChildUsage(storage, principal, { children, at: clock.now() }),
    });
    if (taken.parked) return null;
    await writer.flushed();
    const now = await getRun(principal, run.id);
    const group = configuration.group && (await openGroup(principal, configuration.group, storage));
    const state: StoredRun = { point: taken.point, leafId: conversation.leafId, shownId: conversation.shownId };
    return {
      run: now,
      message: conversation.userMessage ?? null,
      fence: run.fence,
      attempt: taken.attempt,
      // Plain JSON: it was read from the store, or is about to be written to it.
      state: state as unknown as JsonObject,
      configuration,
      model: configuration.model,
      abilities: await options.details(principal, configuration.model, { ask: needsModelDetails(branch) }),
      messages: [...conversation.messages()],
      ledger: [...((await storage.runs.readLedger(principal, run.id)) ?? [])],
      inbox: await readInbox(principal, run, run.fence, configuration),
      ...(group ? { group: groupForTab(group) } : {}),
    };
  }

  async function take(principal: Owner, tabId: string, runId: string): Promise<LeasedTabRun | null> {
    const run = await getRun(principal, runId);
    const leased = await storage.runs.acquireLease(runId, createTerms(tabId), { from: PREFIX });
    if (leased === null) {
      const message = run.endedAt === null ? say`This run is being executed elsewhere.` : say`This run has ended.`;
      throw createConflictError(message);
    }
    try {
      return await handOver(principal, leased);
    } catch (thrown) {
      if (!(thrown instanceof RunLost)) throw thrown;
      throw createStaleTabError(runId);
    } finally {
      hub.changed(principal.ownerId, 'conversations', leased.conversationId);
      hub.changed(principal.ownerId, 'interrupts', leased.conversationId);
    }
  }

  async function checkLease(tabId: string, runId: string, fence: number): Promise<void> {
    if (!(await storage.runs.renewLease(runId, fence, createTerms(tabId)))) throw createStaleTabError(runId);
  }
  const tabSubAgents = createTabSubAgents({ storage, subAgents: options.subAgents, getRun, checkLease });
  const tabTools = createTabTools({ calls: options.toolCalls, getRun, checkLease });

  return {
    ...tabSubAgents,
    ...tabTools,

    async startInTab(principal, tabId, request, starter) {
      const conversation = await storage.conversations.get(principal, request.conversationId);
      if (!conversation) throw createNoConversationError(request.conversationId);
      // Sent again: the first request started it, and its response was lost.
      const before = request.id === undefined ? null : await storage.runs.getRun(principal, request.id);
      const isKnownRun = before?.place === 'browser' && before.conversationId === conversation.id;
      const held = await take(
        principal,
        tabId,
        isKnownRun ? before.id : await begin(principal, tabId, request, conversation, starter),
      );
      if (held) return held;
      throw createConflictError(say`This run waits for the user.`);
    },

    takeInTab: take,

    async renewInTab(principal, tabId, runId, fence) {
      const run = await getRun(principal, runId);
      await checkLease(tabId, runId, fence);
      const conversation = await storage.conversations.get(principal, run.conversationId);
      const budgets = conversation ? await options.readBudgets(principal, conversation, run) : null;
      return readInbox(principal, run, fence, budgets);
    },

    async commitFromTab(principal, runId, sent, { tabId, starter }): Promise<CommittedFromTab> {
      const run = await getRun(principal, runId);
      checkTabCommit(run, sent);
      const asked = interruptsIn(sent);
      const details = getRunDetails(principal, run, sent, tabId);
      if (asked.length > 0) await checkTabInterrupts(asked, details);
      await checkTabAnswers(sent, details);
      const commit = asked.length > 0 ? withAskedBy(sent, toAskedBy(starter)) : sent;
      await checkUserMessage(principal, run, commit);
      const steering = steeringMessages(commit);
      if (steering.length > 0) await checkSteering(commit, await sentBy(principal, run, commit.fence));
      for (const sha256 of filesNamedBy(commit)) {
        if (await storage.blobs.touch(principal, sha256, clock.now())) continue;
        throw createInvalidError(say`There is no file ${sha256}.`);
      }
      const { number, preludes = [], ...kept } = await keep(principal, commit);
      const [outcome] = await storage.runs.commit([
        {
          ...kept,
          runId,
          durability: 'normal',
          ...(steering.length > 0 ? { unqueued: steering.map(({ id }) => id) } : {}),
          numbered: { number, digest: getDigest(sent) },
        },
      ]);
      switch (outcome?.outcome) {
        case 'committed': {
          // First: a commit that is repeated after a later failure is not published again.
          if (!outcome.again) {
            if (kept.events.length > 0) hub.runEvents(principal.ownerId, kept.events);
            if (steering.length > 0) hub.changed(principal.ownerId, 'queue', run.conversationId);
            notifyStatus(principal, run, commit);
          }
          // Also for a repeated commit: the process may have crashed in between.
          for (const { id, prelude } of preludes) {
            await storage.requestPreludes.put(principal, run.conversationId, { id, prelude, at: clock.now() });
          }
          return { lastSeq: outcome.lastSeq, inboxWaits: outcome.inboxWaits === true };
        }
        case 'invalid':
          throw createInvalidError(`The commit was not stored: ${outcome.problem}.`);
        default:
          throw createStaleTabError(runId);
      }
    },
  };

  /** What a request of the run is compared with. */
  function getRunDetails(principal: Owner, run: RunRecord, commit: CommitFromTab, tabId: string): TabRunDetails {
    const configuration = async (): Promise<RunConfiguration> => {
      const stored = await storage.runStates.get(principal, run.id);
      return readStoredRun(stored ?? { state: null, configuration: null }).configuration;
    };
    return {
      async offered() {
        const offers = await storage.tabs.listOffers(principal, tabId);
        return offers.flatMap(({ conversationId, servers }) => (conversationId === run.conversationId ? servers : []));
      },
      conversations: async () =>
        (await storage.tabs.listOffers(principal, tabId)).map(({ conversationId }) => conversationId),
      open: async () => storage.runs.listInterrupts(principal, { runId: run.id, status: 'open', limit: 1_000 }),
      tools: (calls) => options.toolCalls.read(principal, run, calls),
      async findCall(callId) {
        const sent = commit.messages?.find(({ message }) => message.id === messageIdOfCall(callId))?.message;
        return sent ? callPartIn(sent, run, callId) : storedCallPart(storage.messages, principal, run, callId);
      },
      async ledger() {
        return (await storage.runs.readLedger(principal, run.id)) ?? [];
      },
      budgets: async () => (await configuration()).budgets,
      answered: async () => storage.runs.listInterrupts(principal, { runId: run.id, status: 'answered', limit: 1_000 }),
      port: options.port(),
    };
  }

  /** Every reader sees the start of a run with the user message exactly as it was sent. */
  async function checkUserMessage(principal: Owner, run: RunRecord, { events }: CommitFromTab): Promise<void> {
    for (const event of events) {
      if (event.type !== 'run_started') continue;
      const { message } = event;
      // A run that continues a cut answer has no user message of its own: it repeats the answered one.
      const asked =
        (await storage.messages.get(principal, run.conversationId, run.id)) ??
        (await storage.messages.get(principal, run.conversationId, message.id));
      if (asked?.role === 'user' && canonicalJson(asked) === canonicalJson(message)) continue;
      throw createForbiddenWriteError("another question than the user's");
    }
  }

  function notifyStatus({ ownerId }: Owner, run: RunRecord, { status }: CommitFromTab): void {
    if (status === undefined || status === 'running') return;
    hub.changed(ownerId, 'conversations', run.conversationId);
    hub.changed(ownerId, 'interrupts', run.conversationId);
    if (status === 'done' || status === 'failed' || status === 'cancelled') options.onOver(run, status);
  }

  /** The messages the user has sent to this run, including those it has already added: a commit may be repeated. */
  async function sentBy(
    principal: Owner,
    run: RunRecord,
    fence: number,
  ): Promise<(message: UserMessage) => Promise<boolean>> {
    const items = (await storage.runs.readInbox(run.id, fence)) ?? [];
    const queuedIds = new Set(readInboxItems(items).steers.map(({ queuedMessageId }) => queuedMessageId));
    return async ({ id, parts }) => {
      const queued = await storage.queue.get(principal, run.conversationId, id);
      if (queued) return queuedIds.has(id) && hasSameParts(queued.parts, parts);
      const stored = await storage.messages.get(principal, run.conversationId, id);
      if (stored) return stored.role === 'user' && hasSameParts(stored.parts, parts);
      // Deleted in the same moment: it was added all the same.
      return queuedIds.has(id);
    };
  }

  /** Returns the id of the run. */
  async function begin(
    principal: Owner,
    tabId: string,
    request: StartRunInTab,
    conversation: StoredConversation,
    starter: RunStarter | undefined,
  ): Promise<string> {
    const how = await createStartRequest(principal, request, conversation);
    const outcome = await options.start(principal, { ...how, ...defined({ starter }), heldBy: createTerms(tabId) });
    if (outcome.started) return outcome.run.id;
    throw createConflictError(say`An answer is in progress.`, say`Stop it first, or wait until it ends.`);
  }

  /** What a run in a tab starts with: a message, or an answer to continue or regenerate. */
  async function createStartRequest(
    principal: Owner,
    request: StartRunInTab,
    conversation: StoredConversation,
  ): Promise<StartRequest> {
    const { configuration, id: runId = options.newId() } = request;
    const kept = configuration ? { configuration } : {};
    if ('regenerates' in request) {
      return regenerateConfiguration(storage, principal, {
        runId,
        conversation,
        messageId: request.regenerates,
        ...kept,
      });
    }
    if ('continues' in request) {
      refuseContinue(conversation, request.continues);
      const branch = await storage.messages.branch(principal, conversation.id);
      const all = { ...kept, ...(await answeringAgent(storage, principal, conversation, branch)) };
      const canContinue = await options.canContinue(principal, conversation, all);
      return continueRun({ runId, conversation, branch, canContinue, ...all }).request;
    }
    const { parentId = conversation.leafId, agentId } = request;
    const parts = await options.keepMedia(principal, request.parts);
    const mention = await getMention(principal, agentId, storage.agents);
    const userMessage: UserMessage = { id: runId, parentId, createdAt: clock.now(), role: 'user', parts, ...mention };
    return { runId, conversation, userMessage, begins: { with: 'message' }, ...kept, ...defined({ agentId }) };
  }
}

function groupForTab({ settings, members }: OpenedGroup): NonNullable<LeasedTabRun['group']> {
  const { members: ids, stopPhrases, ...rest } = settings;
  return { settings: { ...rest, members: [...ids], stopPhrases: [...stopPhrases] }, members: [...members] };
}

function createTerms(tabId: string): LeaseTerms {
  return { owner: `${PREFIX}${tabId}`, ms: LEASE_MS };
}

/** Hash of a tab's commit, so that a different one with the same number is not mistaken for a repetition. */
function getDigest(commit: CommitFromTab): string {
  return createHash('sha256').update(JSON.stringify(commit)).digest('hex');
}

function createStaleTabError(runId: string): ToolyardError {
  const message = say`This tab does not have run ${runId} any more: another tab has claimed it, or it has ended.`;
  return createConflictError(message);
}
