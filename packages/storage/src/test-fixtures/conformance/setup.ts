import { expect } from 'vitest';
import type { Clock, CommitOutcome, NewRun, PermissionView, Owner, RunCommit, RunStore } from '@toolyard/protocol';
import type { FakeClock } from '@toolyard/testing';
import { createFakeClock } from '@toolyard/testing';
import { ANNE, LEASE_MS, newRun } from '../conversation.ts';

/** An engine under test: an empty database, to which more handles can be opened like other processes do. */
export type EngineUnderTest = {
  /** Another handle to the same database; all share the clock. */
  handle(): Promise<RunStore>;
  /** Called whenever the clock advances, for leases timed by the database. */
  clockAdvanced?(monotonic: number): Promise<void>;
  /** Operations beside runs: create an empty conversation, read its current leaf, queue a message, delete it. */
  createConversation(principal: Owner, id: string): Promise<void>;
  readLeaf(principal: Owner, conversationId: string): Promise<string | null>;
  setLeaf(principal: Owner, conversationId: string, leafId: string): Promise<void>;
  addQueued(principal: Owner, conversationId: string, id: string): Promise<void>;
  queuedIds(principal: Owner, conversationId: string): Promise<string[]>;
  purgeConversation(principal: Owner, conversationId: string): Promise<void>;
  permissions(principal: Owner): Promise<PermissionView[]>;
  messageIds(principal: Owner, conversationId: string): Promise<string[]>;
  close(): Promise<void>;
};

export type OpenEngine = (clock: Clock) => Promise<EngineUnderTest>;

/** Two processes that compete for leases. */
export const P1 = { owner: 'process-1', ms: LEASE_MS };
export const P2 = { owner: 'process-2', ms: LEASE_MS };

/** A new engine for each test, with an empty conversation `c1` of the owner Anne, and helpers for tests. */
export class ConformanceBench {
  readonly #open: OpenEngine;
  #parts: { clock: FakeClock; engine: EngineUnderTest; store: RunStore } | undefined;

  constructor(open: OpenEngine) {
    this.#open = open;
  }

  async setUp(): Promise<void> {
    const fake = createFakeClock();
    const engine = await this.#open(fake);
    const clock: FakeClock = {
      ...fake,
      get pending() {
        return fake.pending;
      },
      async advance(ms) {
        await fake.advance(ms);
        await engine.clockAdvanced?.(fake.monotonic());
      },
    };
    await engine.createConversation(ANNE, 'c1');
    this.#parts = { clock, engine, store: await engine.handle() };
  }

  async tearDown(): Promise<void> {
    await this.#parts?.engine.close();
    this.#parts = undefined;
  }

  get clock(): FakeClock {
    return this.#now().clock;
  }

  get engine(): EngineUnderTest {
    return this.#now().engine;
  }

  get store(): RunStore {
    return this.#now().store;
  }

  /** Commits one item. */
  async commit(item: RunCommit, to: RunStore = this.store): Promise<CommitOutcome> {
    const [outcome] = await to.commit([item]);
    if (!outcome) throw new Error('no outcome');
    return outcome;
  }

  /** The event numbers of a run that Anne can read. */
  async seqs(runId: string, after = 0, limit = 1_000): Promise<number[] | undefined> {
    return (await this.store.readEvents(ANNE, runId, after, limit))?.map((event) => event.seq);
  }

  /** Starts a run in its own conversation (`c-<run>`), held by process 1 under fence 1. */
  async startRun(runId: string, more: Partial<NewRun> = {}): Promise<void> {
    const conversationId = `c-${runId}`;
    await this.engine.createConversation(ANNE, conversationId);
    expect(await this.store.createRun(ANNE, newRun(runId, conversationId, more))).toMatchObject({ outcome: 'created' });
  }

  #now(): { clock: FakeClock; engine: EngineUnderTest; store: RunStore } {
    if (!this.#parts) throw new Error('outside a test');
    return this.#parts;
  }
}
