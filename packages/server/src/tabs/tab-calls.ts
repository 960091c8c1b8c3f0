import type { CallToolOptions } from '@toolyard/mcp-host';
import type {
  Clock,
  ErrorInfo,
  JsonObject,
  LiveEvent,
  Owner,
  TaskHandle,
  ToolReference,
  ToolResult,
  ErrorInit,
} from '@toolyard/protocol';
import { createErrorInfo, CONTINUES_ELSEWHERE, say } from '@toolyard/protocol';
import type { SharedStorage, StoredTabCall } from '@toolyard/storage';
import type { RunHub } from '../live/hub.ts';
import { resultInPlace } from '../runs/worker/run-media.ts';
import { OpenTabInterrupts } from './open-tab-interrupts.ts';
import { canExecute } from './tab-pins.ts';

export type TabCallsOptions = {
  storage: Pick<SharedStorage, 'tabs' | 'blobs'>;
  hub: Pick<RunHub, 'listen' | 'changed'>;
  clock: Clock;
};

/** Principal and run of calls by tabs. */
export type TabCallsOf = { principal: Owner; runId: string; conversationId: string };

export type NewTabCall = { callId: string; tool: ToolReference; arguments: JsonObject; definition: string };

/** Poll interval: the maximum delay after a lost notification, and for a tab that leaves without one. */
const LOOK_EVERY_MS = 1_000;

/**
 * Calls of runs that execute in tabs. A call is a row: one tab claims it and writes its result there, whichever process
 * the tab is connected to, and whether or not a process is waiting.
 */
export class TabCalls {
  readonly #options: TabCallsOptions;

  constructor(options: TabCallsOptions) {
    this.#options = options;
  }

  /** Offers a call to the tabs and waits for its result. Never throws for errors of a tab. */
  async make(of: TabCallsOf, call: NewTabCall, options: CallToolOptions): Promise<ToolResult> {
    const { tabs } = this.#options.storage;
    const { principal, runId, conversationId } = of;
    const { callId, tool } = call;
    if (!(await this.#isOffered(of, call))) {
      // The result may have arrived while no process waited for it.
      const before = await tabs.getCall(principal, { runId, callId });
      if (before?.status !== 'done') return needsTab(tool);
    }
    const at = this.#options.clock.now();
    const put = await tabs.putCall(principal, { ...call, runId, conversationId, at });
    if (put.status !== 'done') await options.onTask?.({ tool, taskId: callId, era: 'tab' });
    return this.#follow(of, put, options);
  }

  /** Continues to wait for a call that an earlier process has offered. */
  async resume(of: TabCallsOf, { tool, taskId }: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
    const call = await this.#options.storage.tabs.getCall(of.principal, { runId: of.runId, callId: taskId });
    return call === null ? needsTab(tool) : this.#follow(of, call, options);
  }

  async #follow(of: TabCallsOf, put: StoredTabCall, options: CallToolOptions): Promise<ToolResult> {
    const { principal, runId, conversationId } = of;
    const { callId, tool } = put;
    const { storage, hub, clock } = this.#options;
    const key = { runId, callId };
    const { signal } = options;
    const changes = new Changes({ hub, clock, ownerId: principal.ownerId, conversationId, signal });
    const interrupts = new OpenTabInterrupts({ tabs: storage.tabs, principal, key, tool, options, onAnswer: notify });
    function notify(): void {
      hub.changed(principal.ownerId, 'tab_calls', conversationId);
    }
    try {
      for (let call: StoredTabCall | null = put; call !== null; call = await storage.tabs.getCall(principal, key)) {
        if (call.status === 'done' && call.result !== null) {
          return await resultInPlace(call.result, storage.blobs, principal);
        }
        // The call of a run in a tab, which no tab makes.
        if (call.status === 'executing') return needsTab(tool);
        if (call.status === 'withdrawn') return call.tabId === null ? needsTab(tool) : tabGone(tool);
        if (signal?.aborted) {
          const ended = await this.#giveUp(of, call, signal.reason);
          if (ended !== null) return ended;
          continue;
        }
        if (call.status === 'claimed') {
          await interrupts.look();
          if (!(await this.#isTabOpen(principal, call.tabId))) return tabGone(tool);
        } else if (call.status !== 'done' && (await this.#isOffered(of, call))) {
          if (call.status === 'held' && (await storage.tabs.openCall(principal, key, clock.now()))) notify();
        } else if (call.status === 'done') {
          return tabGone(tool);
        } else if (await storage.tabs.withdraw(principal, key, call.status, clock.now())) {
          return needsTab(tool);
        } else {
          continue;
        }
        await changes.next();
      }
      return needsTab(tool);
    } finally {
      changes.end();
      interrupts.end();
    }
  }

  /** Null if the call has changed state in the same moment. */
  async #giveUp({ principal, runId, conversationId }: TabCallsOf, call: StoredTabCall, reason: unknown) {
    const { storage, hub, clock } = this.#options;
    const { callId, tool, status } = call;
    // The process that resumes the run continues to wait.
    if (reason === CONTINUES_ELSEWHERE) return tabGone(tool);
    if (status !== 'held' && status !== 'open' && status !== 'claimed') return null;
    if (!(await storage.tabs.withdraw(principal, { runId, callId }, status, clock.now()))) return null;
    hub.changed(principal.ownerId, 'tab_calls', conversationId);
    return failed(STOPPED, status === 'claimed' ? 'unknown' : 'not_sent');
  }

  async #isOffered(
    { principal, conversationId }: TabCallsOf,
    call: Pick<StoredTabCall, 'tool' | 'definition'>,
  ): Promise<boolean> {
    const { storage, clock } = this.#options;
    const offers = await storage.tabs.offers(principal, { conversationId, seenSince: clock.now() });
    return offers.some(({ servers }) => canExecute(servers, call));
  }

  async #isTabOpen(principal: Owner, tabId: string | null): Promise<boolean> {
    if (tabId === null) return false;
    const now = this.#options.clock.now();
    return (await this.#options.storage.tabs.listOffers(principal, tabId)).some(({ seenUntil }) => seenUntil >= now);
  }
}

/** Resolves when polling is worthwhile: after a notification for the conversation, or the poll interval. */
class Changes {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: () => void;
  #changed = false;
  #wake: () => void = () => undefined;

  constructor(of: {
    hub: Pick<RunHub, 'listen'>;
    clock: Clock;
    ownerId: string;
    conversationId: string;
    signal: AbortSignal | undefined;
  }) {
    this.#clock = of.clock;
    this.#signal = of.signal;
    const concerns = (event: LiveEvent): boolean =>
      event.type === 'changed' && event.what === 'tab_calls' && event.id === of.conversationId;
    this.#unsubscribe = of.hub.listen(of.ownerId, {
      receive: (events) => {
        if (events.some(concerns)) this.#onChange();
      },
      missed: () => this.#onChange(),
    });
    this.#signal?.addEventListener('abort', this.#onChange);
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(LOOK_EVERY_MS, () => this.#wake());
      this.#wake = () => {
        cancel();
        this.#changed = false;
        resolve();
      };
      if (this.#changed || this.#signal?.aborted) this.#wake();
    });
  }

  end(): void {
    this.#unsubscribe();
    this.#signal?.removeEventListener('abort', this.#onChange);
  }

  readonly #onChange = (): void => {
    this.#changed = true;
    this.#wake();
  };
}

const STOPPED: ErrorInfo = createErrorInfo({ code: 'cancelled', message: say`The run was cancelled.` });

function needsTab({ serverId }: ToolReference): ToolResult {
  const message = say`"${serverId}" is connected by a browser tab, and no tab with it is open.`;
  return failed({ code: 'needs_tab', message, hint: say`Open this conversation in that browser.` }, 'not_sent');
}

function tabGone({ serverId, name }: ToolReference): ToolResult {
  const message =
    `The tab that called "${name}" of "${serverId}" is gone; it is unknown whether the call took effect. Do ` +
    'not repeat it.';
  return failed({ code: 'tab_gone', message }, 'unknown');
}

function failed(error: ErrorInit, outcome: ToolResult['outcome']): ToolResult {
  const info = createErrorInfo(error);
  return { content: [{ type: 'text', text: info.message }], isError: true, outcome, error: info };
}
