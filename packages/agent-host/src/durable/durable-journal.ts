import type { RunPoint } from '@toolyard/agent-runtime';
import { parkedStatus } from '@toolyard/agent-runtime';
import type {
  AgentReference,
  AskedBy,
  Clock,
  FactEvent,
  Interrupt,
  RunEventBody,
  RunJournal,
} from '@toolyard/protocol';
import { defined, ignoreEvent } from '@toolyard/protocol';
import type { Urgency } from './commit-pump.ts';
import { SurrogateBuffer } from './surrogate-buffer.ts';
import type { RunConversation } from './run-conversation.ts';
import { emptyAnswer } from './run-conversation.ts';
import type { RunLedger } from './run-ledger.ts';
import type { SaveOutcome } from './run-draft.ts';
import type { RunWriter } from './run-writer.ts';
import type { StoredRun } from './stored-run.ts';

type DurableJournalOptions = {
  runId: string;
  model: string;
  agent?: AgentReference;
  writer: RunWriter;
  conversation: RunConversation;
  ledger: RunLedger;
  clock: Clock;
  /** The current step and its attempt. */
  step: number;
  attempt: number;
  /** Inbox items that the end of the run applies. */
  taken: () => readonly string[];
  /** Who asks, if not the user's own run: part of every interrupt. */
  askedBy?: AskedBy | undefined;
  /** Queued messages that are not added yet and that no inbox item names any more. */
  steers: () => readonly string[];
};

/** Interrupts of a parked run: stored at the end of their step, never asked during an open call. */
export const STORED_WITH_STEP: ReadonlySet<Interrupt['kind']> = new Set([
  'approval',
  'in_doubt',
  'budget',
  'prompt',
  'selection',
]);

/** The journal of a run that survives its process: a step is complete once it is stored. */
export class DurableJournal implements RunJournal {
  readonly #options: DurableJournalOptions;
  readonly #surrogates = new SurrogateBuffer();
  #step: number;
  #attempt: number;
  #saved: SaveOutcome = { inboxWaits: false };
  /** True from the start of a message to its first delta, which is then written without delay. */
  #silent = false;

  constructor(options: DurableJournalOptions) {
    this.#options = options;
    this.#step = options.step;
    this.#attempt = options.attempt;
  }

  get attempt(): number {
    return this.#attempt;
  }

  /** Outcome of the last commit. */
  get saved(): SaveOutcome {
    return this.#saved;
  }

  beginStep(step: number): void {
    if (step === this.#step) return;
    this.#step = step;
    this.#attempt = 1;
    this.#options.ledger.removeSettled();
  }

  append(body: RunEventBody): void {
    for (const whole of this.#surrogates.pass(body)) this.#append(whole);
  }

  async commit(point: RunPoint): Promise<void> {
    const { writer, conversation, taken } = this.#options;
    const { status } = point.state;
    const steers = this.#options.steers();
    const { leafId, shownId } = conversation;
    const state: StoredRun = { point, leafId, shownId, ...(steers.length > 0 ? { steers: [...steers] } : {}) };
    const save =
      status === 'running'
        ? { state }
        : status === 'parked'
          ? { state, status: parkedStatus(point.state), taken: [] }
          : { state, status, taken: taken() };
    if (status !== 'running') {
      this.#saved = await writer.save(save);
      return;
    }
    if (writer.lost) throw writer.lost;
    // A run that continues does not wait: everything with an outside effect commits first, and this with it: sending a
    // call, asking the user, ending the run. An answer is committed with the call it asks for, if that follows.
    writer.keep(save, point.context.phase === 'llm_result' ? 'later' : 'soon');
  }

  #append(appended: RunEventBody): void {
    const { writer, conversation, askedBy } = this.#options;
    const body =
      askedBy && appended.type === 'interrupt_requested'
        ? { ...appended, interrupt: { ...appended.interrupt, askedBy } }
        : appended;
    if (body.type === 'run_finished' && conversation.hasPlaceholder) this.#settlePlaceholder(body);
    writer.event(body, { step: this.#step, attempt: this.#attempt }, this.#getUrgency(body));
    if (body.type === 'interrupt_requested') writer.opened(body.interrupt, body.live ? 'live' : 'parked');
    if (body.type === 'interrupt_withdrawn') writer.withdrawn(body.interruptId);
  }

  /** If the run ends before the answer has begun, completes the placeholder, so that no reader waits for it. */
  #settlePlaceholder({ error }: Extract<RunEventBody, { type: 'run_finished' }>): void {
    const { runId, model, agent, clock, conversation } = this.#options;
    const message = emptyAnswer({
      id: conversation.shownId,
      parentId: conversation.leafId,
      runId,
      model,
      createdAt: clock.now(),
      ...defined({ agent, error }),
    });
    conversation.add(message);
    this.#append({ type: 'message_finished', message });
  }

  #getUrgency(body: RunEventBody): Urgency {
    switch (body.type) {
      case 'text_delta':
      case 'reasoning_delta': {
        const isFirst = this.#silent;
        this.#silent = false;
        return isFirst ? 'now' : 'soon';
      }
      case 'tool_call_started':
      case 'tool_call_delta':
      case 'tool_progress':
      case 'notice':
      case 'servers_awaited':
        return 'soon';
      case 'message_started':
        this.#silent = true;
        return 'later';
      // The step continues meanwhile.
      case 'interrupt_requested':
        return STORED_WITH_STEP.has(body.interrupt.kind) ? 'later' : 'now';
      case 'interrupt_withdrawn':
      case 'interrupt_answered':
        return 'soon';
      // A commit follows the others anyway.
      default:
        ignoreEvent<FactEvent>(body);
        return 'later';
    }
  }
}
