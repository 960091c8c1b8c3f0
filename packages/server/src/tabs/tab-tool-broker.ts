import { faultOfUrlToOpen } from '@toolyard/mcp-host';
import type {
  AskFromTab,
  ClaimedTabCall,
  Clock,
  FinishTabCall,
  OfferTabTools,
  Owner,
  TabCallView,
  TabInputRequest,
  ToolReference,
} from '@toolyard/protocol';
import { MAX_OPEN_REQUESTS, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage, StoredTabCall, TabOffer } from '@toolyard/storage';
import { mediaToBlobs } from '@toolyard/storage';
import { createConflictError, createInvalidError, createNotFoundError } from '../errors.ts';
import { keepFilesOfRun } from '../runs/keep-files.ts';
import type { LiveHub, RunService } from '../services.ts';
import { canExecute } from './tab-pins.ts';

export type TabToolBrokerOptions = {
  storage: Pick<SharedStorage, 'tabs' | 'blobs'>;
  runs: Pick<RunService, 'resumeForTab' | 'tabReturned'>;
  hub: Pick<LiveHub, 'changed'>;
  clock: Clock;
};

/** A tab without a heartbeat for this long is gone. Browsers wake hidden tabs once a minute. */
const SEEN_FOR_MS = 90_000;
/** A tab whose stream has ended is reloading, closed, or about to reconnect. */
const AFTER_STREAM_MS = 10_000;

/** Serves the tabs: they offer tools to runs of the server, claim calls, and report results. */
export class TabToolBroker {
  readonly #options: TabToolBrokerOptions;

  constructor(options: TabToolBrokerOptions) {
    this.#options = options;
  }

  /** @throws ToolyardError `not_found` if there is no such conversation */
  async offer(
    principal: Owner,
    tabId: string,
    conversationId: string,
    { servers }: OfferTabTools,
  ): Promise<TabCallView[]> {
    const { storage, clock } = this.#options;
    const at = clock.now();
    const offer = { tabId, conversationId, servers, seenUntil: at + SEEN_FOR_MS };
    if (!(await storage.tabs.offer(principal, { ...offer, at }))) {
      throw createNotFoundError(say`There is no conversation ${conversationId}.`);
    }
    return this.#toDo(principal, tabId);
  }

  /** Heartbeat of a tab. Returns the calls it may claim, and those it has claimed. */
  async renew(principal: Owner, tabId: string): Promise<TabCallView[]> {
    const { storage, clock } = this.#options;
    if (!(await storage.tabs.renew(principal, tabId, clock.now() + SEEN_FOR_MS))) throw createNoTabError(tabId);
    return this.#toDo(principal, tabId);
  }

  /** The tab was closed or reloaded and reports no more results. */
  async leave(principal: Owner, tabId: string): Promise<void> {
    if ((await this.#leave(principal, tabId, 0)) === 0) throw createNoTabError(tabId);
  }

  /** The tab's stream has ended; it may reconnect within a short time. */
  async streamEnded(principal: Owner, tabId: string): Promise<void> {
    await this.#leave(principal, tabId, AFTER_STREAM_MS);
  }

  /** @throws ToolyardError `conflict` if another tab has claimed the call, or it is not pending any more */
  async claim(principal: Owner, tabId: string, key: { runId: string; callId: string }): Promise<ClaimedTabCall> {
    const { storage, clock } = this.#options;
    const before = await storage.tabs.getCall(principal, key);
    if (before === null) throw createNoCallError(key.callId);
    const offers = await storage.tabs.listOffers(principal, tabId);
    if (!isFor(before, offers)) throw createNoCallError(key.callId);
    const isOurs = before.status === 'claimed' && before.tabId === tabId;
    const call = isOurs ? before : await storage.tabs.claim(principal, key, { tabId, at: clock.now() });
    if (call === null) {
      throw createConflictError(say`This call was claimed by another tab, or is not pending any more.`);
    }
    this.#notify(principal, call);
    const { callId, fence, tool, arguments: args, definition } = call;
    return { callId, fence, tool, arguments: args, definition };
  }

  /** Idempotent for the same result. @throws ToolyardError `conflict` if the call has ended otherwise */
  async finish(
    principal: Owner,
    tabId: string,
    key: { runId: string; callId: string },
    { fence, result }: FinishTabCall,
  ): Promise<void> {
    const { storage, runs, clock } = this.#options;
    const at = clock.now();
    const kept = await mediaToBlobs(result, keepFilesOfRun({ storage, principal, clock }));
    const isNew = await storage.tabs.finish(principal, key, { tabId, fence, result: kept, at });
    const call = await storage.tabs.getCall(principal, key);
    if (call === null) throw createNoCallError(key.callId);
    if (!isNew && !(call.status === 'done' && call.tabId === tabId && call.fence === fence)) throw createTooLateError();
    this.#notify(principal, call);
    // Also for a repeated report: the process may have crashed between the two steps.
    await runs.tabReturned(principal, key, kept);
  }

  /** Sends the user a request of the call's server; the heartbeat returns the answer. */
  async ask(
    principal: Owner,
    tabId: string,
    key: { runId: string; callId: string },
    { id, fence, question }: AskFromTab & { id: string },
  ): Promise<void> {
    const { storage } = this.#options;
    const call = await storage.tabs.getCall(principal, key);
    if (call === null) throw createNoCallError(key.callId);
    if (call.status !== 'claimed' || call.tabId !== tabId || call.fence !== fence) throw createTooLateError();
    const fault = question.kind === 'url' ? faultOfUrlToOpen(question.url) : null;
    if (fault !== null) throw createInvalidError(fault);
    const request = { id, question: await this.#ofTab(principal, tabId, question) };
    if (!(await storage.tabs.ask(principal, key, request, MAX_OPEN_REQUESTS.perCall))) throw createTooManyError();
    this.#notify(principal, call);
  }

  /** The request with those conversations that the tab has offered tools to: it names no others to the user. */
  async #ofTab(principal: Owner, tabId: string, question: TabInputRequest): Promise<TabInputRequest> {
    const { mayBelongTo, ...rest } = question;
    if (mayBelongTo === undefined) return question;
    const offers = await this.#options.storage.tabs.listOffers(principal, tabId);
    const own = mayBelongTo.filter((id) => offers.some(({ conversationId }) => conversationId === id));
    return own.length === 0 ? rest : { ...rest, mayBelongTo: own };
  }

  /** Returns the number of conversations the tab had offered tools to. */
  async #leave(principal: Owner, tabId: string, ms: number): Promise<number> {
    const { storage, hub, clock } = this.#options;
    const offers = await storage.tabs.listOffers(principal, tabId);
    if (offers.length === 0) return 0;
    await storage.tabs.leave(principal, tabId, clock.now() + ms - 1);
    for (const { conversationId } of offers) hub.changed(principal.ownerId, 'tab_calls', conversationId);
    return offers.length;
  }

  async #toDo(principal: Owner, tabId: string): Promise<TabCallView[]> {
    const { storage, runs } = this.#options;
    const offers = await storage.tabs.listOffers(principal, tabId);
    for (const { conversationId, servers } of offers) {
      const has = (tool: ToolReference): boolean => canExecute(servers, { tool, definition: '' });
      await runs.resumeForTab(principal, conversationId, has);
    }
    const open = await storage.tabs.openCalls(principal);
    const mine = open.filter((call) => (call.status === 'claimed' ? call.tabId === tabId : isFor(call, offers)));
    return Promise.all(mine.map((call) => this.#view(principal, call)));
  }

  async #view(principal: Owner, call: StoredTabCall): Promise<TabCallView> {
    const { callId, runId, conversationId, tool, status } = call;
    const claimed = status === 'claimed';
    const requests = claimed ? await this.#options.storage.tabs.inputRequests(principal, { runId, callId }) : [];
    const answers = requests.flatMap(({ id, answer }) => (answer === null ? [] : [[id, answer] as const]));
    return { callId, runId, conversationId, tool, claimed, answers: Object.fromEntries(answers) };
  }

  #notify({ ownerId }: Owner, { conversationId }: StoredTabCall): void {
    this.#options.hub.changed(ownerId, 'tab_calls', conversationId);
  }
}

/** Only tabs that offer exactly this tool to the conversation get the call. */
function isFor(call: StoredTabCall, offers: readonly TabOffer[]): boolean {
  return offers.some(
    ({ conversationId, servers }) => conversationId === call.conversationId && canExecute(servers, call),
  );
}

function createNoTabError(tabId: string): ToolyardError {
  return createNotFoundError(say`There is no tab ${tabId}.`, say`Register the tools of the tab again.`);
}

function createNoCallError(callId: string): ToolyardError {
  return createNotFoundError(say`There is no call ${callId} for this tab.`);
}

function createTooManyError(): ToolyardError {
  return new ToolyardError({
    code: 'rate_limited',
    message: say`No more than ${MAX_OPEN_REQUESTS.perCall} requests of a call may be open. This one was not shown to the user.`,
  });
}

function createTooLateError(): ToolyardError {
  return createConflictError(say`This tab does not have the call any more: it was cancelled or offered again.`);
}
