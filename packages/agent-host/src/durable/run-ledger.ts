import type {
  Clock,
  Failpoint,
  JsonValue,
  LedgerChange,
  LedgerEntry,
  LedgerStatus,
  PlannedCall,
  TaskHandle,
  ToolLedger,
} from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { RunLost } from './run-lost.ts';

type RunLedgerOptions = {
  runId: string;
  /** Stores the changes; `flushed` resolves when all so far are stored. */
  writer: { ledger(change: LedgerChange): void; flushed(): Promise<unknown> };
  clock: Clock;
  failpoint?: Failpoint | undefined;
};

/** The calls of one run, stored or about to be stored. */
export class RunLedger implements ToolLedger {
  readonly #of: RunLedgerOptions;
  readonly #entries: Map<string, LedgerEntry>;
  #left: Promise<void> | null = null;

  constructor(entries: readonly LedgerEntry[], of: RunLedgerOptions) {
    this.#of = of;
    this.#entries = new Map(entries.map((entry) => [entry.callId, entry]));
  }

  /**
   * From here on no call is sent, since this process would not receive its result. `left`: resolves when the process no
   * longer holds the run.
   */
  leave(left: Promise<void>): void {
    this.#left = left;
  }

  get entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }

  find(callId: string): LedgerEntry | undefined {
    return this.#entries.get(callId);
  }

  plan({ callId, tool, arguments: args, edited }: PlannedCall): void {
    const known = this.#entries.get(callId);
    if (known && known.status !== 'planned') {
      this.#move(known, 'planned');
      return;
    }
    const { runId, writer, clock } = this.#of;
    this.#entries.set(callId, {
      callId,
      runId,
      tool,
      arguments: args,
      ...(edited ? { edited } : {}),
      status: 'planned',
      detail: null,
      updatedAt: clock.now(),
    });
    writer.ledger({ change: 'plan', callId, tool, arguments: args, ...(edited ? { edited } : {}) });
  }

  async sent(callId: string): Promise<void> {
    const { writer, failpoint } = this.#of;
    if (failpoint) await failpoint('run:planned');
    if (this.#left) {
      await this.#left;
      throw new RunLost('let_go', 'this process is stopping');
    }
    const entry = this.#entries.get(callId);
    if (entry) this.#move(entry, 'sent');
    await writer.flushed();
    if (failpoint) await failpoint('run:sent');
  }

  async task(callId: string, handle: TaskHandle): Promise<void> {
    const entry = this.#entries.get(callId);
    if (entry?.status === 'sent') this.#move(entry, 'sent', { task: handle });
    await this.#of.writer.flushed();
    await this.#of.failpoint?.('run:task');
  }

  settle(callId: string, to: 'done' | 'failed' | 'in_doubt', detail: JsonValue): void {
    const entry = this.#entries.get(callId);
    if (!entry) return;
    if (entry.status === 'sent') void this.#of.failpoint?.('run:returned');
    this.#move(entry, to, detail);
  }

  unsend(callId: string): void {
    const entry = this.#entries.get(callId);
    if (entry?.status === 'sent') this.#move(entry, 'planned');
  }

  /** True while a call is in progress whose result only this process can receive. */
  get hasCallsInProgress(): boolean {
    for (const { status, detail } of this.#entries.values()) {
      if (status === 'sent' && !(isJsonObject(detail) && 'task' in detail)) return true;
    }
    return false;
  }

  /** Removes calls of earlier steps, which are not needed again; their results can be large. */
  removeSettled(): void {
    for (const [callId, { status }] of this.#entries) {
      if (status === 'done' || status === 'failed' || status === 'cancelled') this.#entries.delete(callId);
    }
  }

  #move(entry: LedgerEntry, to: LedgerStatus, detail?: JsonValue): void {
    const { callId, status: from } = entry;
    const updatedAt = this.#of.clock.now();
    this.#entries.set(callId, { ...entry, status: to, updatedAt, detail: detail ?? entry.detail });
    this.#of.writer.ledger({ change: 'move', callId, from, to, ...defined({ detail }) });
  }
}
