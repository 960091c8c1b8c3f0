import type { RunPoint } from '@toolyard/agent-runtime';
import { STATE_SCHEMA_VERSION } from '@toolyard/agent-runtime';
import type { Clock, LedgerEntry, Message } from '@toolyard/protocol';
import { isJsonObject, parseJson, ToolyardError } from '@toolyard/protocol';
import type { AgentStore } from './agent-store.ts';
import { continuedMessages } from './continued-messages.ts';
import { RunLedger } from './durable/run-ledger.ts';
import type { MemoryConversation } from './in-memory/conversation.ts';

const VERSION = 1;

/** A run between two steps; `seq`: of its last event; `attempt`: of the step that follows. */
export type RunCheckpoint = {
  point: RunPoint;
  seq: number;
  attempt: number;
  /** The index of its first message in the conversation. */
  firstMessage: number;
  ledger: readonly LedgerEntry[];
  savedAt: number;
};

/** What a store contains: the conversation and the run that its process did not end, or null. */
export type AgentCheckpoint = { conversationId: string; messages: readonly Message[]; run: RunCheckpoint | null };

/**
 * Reads what an agent has saved; null if there is nothing.
 *
 * @throws ToolyardError `bad_request` if it is not what an agent saves; what the store throws
 */
export async function loadCheckpoint(store: AgentStore): Promise<AgentCheckpoint | null> {
  const text = await store.load();
  if (text === null) return null;
  const parsed = parseJson(text);
  if (!parsed.ok) throw createStoreError(parsed.problem);
  const { value } = parsed;
  if (!isJsonObject(value) || typeof value['version'] !== 'number') throw createStoreError('it has no version');
  if (value['version'] !== VERSION) throw createVersionError(value['version'], VERSION);
  const { conversationId, run = null } = value;
  if (typeof conversationId !== 'string') throw createStoreError('it has no conversationId');
  // `continuedMessages` checks them.
  const messages = await continuedMessages(value['messages'] as unknown as Message[]);
  if (run === null) return { conversationId, messages, run };
  const state = isJsonObject(run) && isJsonObject(run['point']) ? run['point']['state'] : null;
  if (!isJsonObject(state)) throw createStoreError('its run has no state');
  const { schemaVersion } = state;
  if (schemaVersion !== STATE_SCHEMA_VERSION) throw createVersionError(schemaVersion, STATE_SCHEMA_VERSION);
  // Only this module writes it, and the version determines its form.
  return { conversationId, messages, run: run as unknown as RunCheckpoint };
}

function createStoreError(problem: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `The store of the agent contains something else than an agent saved: ${problem}.`,
    hint: 'Return the text that save() received last, or null to begin a new conversation.',
  });
}

function createVersionError(version: unknown, known: number): ToolyardError {
  return createStoreError(`version ${JSON.stringify(version)}, but this Toolyard reads version ${known}`);
}

/** Saves an agent to its store: after each step, and before and after each call of a tool. */
export class CheckpointWriter {
  readonly #store: AgentStore;
  readonly #clock: Clock;
  readonly #conversation: MemoryConversation;
  #messages: readonly Message[] = [];
  #run: Omit<RunCheckpoint, 'ledger' | 'savedAt'> | null = null;
  #ledger: RunLedger | null = null;
  #saving: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(store: AgentStore, clock: Clock, conversation: MemoryConversation) {
    this.#store = store;
    this.#clock = clock;
    this.#conversation = conversation;
  }

  /** The ledger of a run that begins or is resumed. */
  openLedger(runId: string, entries: readonly LedgerEntry[]): RunLedger {
    const writer = {
      // The next save that is awaited reports an error of this one.
      ledger: () => void this.#save().catch(() => undefined),
      flushed: () => this.#save(),
    };
    this.#ledger = new RunLedger(entries, { runId, writer, clock: this.#clock });
    return this.#ledger;
  }

  /** Saves a run between two steps, or the conversation alone if the run is over. */
  commit(run: Omit<RunCheckpoint, 'ledger' | 'savedAt'>): Promise<void> {
    const { status, pending } = run.point.state;
    if (status !== 'running') return this.commitConversation();
    // A call that waits for the others of its step has its result in the ledger only.
    if (pending.length === 0) this.#ledger?.removeSettled();
    this.#run = run;
    return this.#saveMessages();
  }

  /** Saves the conversation without a run. */
  commitConversation(): Promise<void> {
    this.#run = null;
    this.#ledger = null;
    return this.#saveMessages();
  }

  /** Resolves when nothing is being saved. */
  async idle(): Promise<void> {
    await (this.#next ?? this.#saving).catch(() => undefined);
  }

  /** During a step the saved messages are those before it: the step is repeated as a whole. */
  #saveMessages(): Promise<void> {
    this.#messages = [...this.#conversation.messages()];
    return this.#save();
  }

  /** One save at a time; all requests during one are served by the next. */
  #save(): Promise<void> {
    this.#next ??= this.#saving
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#store.save(this.#text());
      });
    this.#saving = this.#next;
    return this.#next;
  }

  #text(): string {
    const run = this.#run && { ...this.#run, ledger: this.#ledger?.entries ?? [], savedAt: this.#clock.now() };
    return JSON.stringify({
      version: VERSION,
      conversationId: this.#conversation.id,
      messages: this.#messages,
      run,
    });
  }
}
