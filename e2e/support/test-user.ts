import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConversationView,
  InDoubtAnswer,
  Interrupt,
  InterruptAnswer,
  Page,
  ProviderView,
  RunEvent,
  SentMessage,
  StoredInterrupt,
} from '@toolyard/protocol';
import { call, readRun } from './api.ts';

const TRY_AGAIN_MS = 200;

/** The conversation of the user. */
export const CONVERSATION = 'c';
const MESSAGE_ID = '0192f0c1-2345-7abc-8def-0123456789ab';

/**
 * A client that sends a message and follows its run to the end: retries if no response came, resumes the stream after it was
 * cut, and answers interrupts. The tool is approved for this conversation; a form that asks for a city gets one, and
 * `doubt` is the answer to calls in doubt.
 */
export class TestUser {
  /** Everything read, in order of arrival. */
  readonly events: RunEvent[] = [];
  readonly runs = [this.events];
  readonly #doubt: () => InDoubtAnswer | Promise<InDoubtAnswer>;
  #runId: string | null = null;

  /** @param runId the run, if the message was sent already */
  constructor(doubt: () => InDoubtAnswer | Promise<InDoubtAnswer>, runId: string | null = null) {
    this.#doubt = doubt;
    this.#runId = runId;
  }

  /** Runs as long as the server; answers interrupts at another server if one is given. */
  async goOn(url: string, answersAt: () => string = () => url): Promise<'over' | 'cut'> {
    try {
      this.#runId ??= await ask(url);
    } catch (error) {
      if (isCut(error)) return 'cut';
      throw error;
    }
    const stream = { ended: false };
    const see = (event: RunEvent): void => this.#see(answersAt, event, stream);
    // Interrupts from before whose answers may have been lost.
    for (const event of this.events) see(event);
    try {
      return await readRun(url, this.#runId, this.events, see);
    } finally {
      stream.ended = true;
    }
  }

  async #answerTo(kind: Interrupt['kind']): Promise<InterruptAnswer> {
    switch (kind) {
      case 'approval':
        return { decision: 'approve', scope: 'conversation' };
      case 'elicitation':
        return { decision: 'accept', content: { city: 'Taipei' } };
      default:
        return this.#doubt();
    }
  }

  view(url: string): Promise<ConversationView> {
    return readView(url);
  }

  /** The interrupts that were answered, as stored. */
  async answered(url: string): Promise<StoredInterrupt[]> {
    return (await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts?status=answered')).items;
  }

  #see(answersAt: () => string, event: RunEvent, stream: { ended: boolean }): void {
    if (event.type !== 'interrupt_requested') return;
    const { id, kind } = event.interrupt;
    void this.#answerTo(kind).then((answer) => this.#answer(answersAt, { id, answer }, stream));
  }

  /**
   * Retried while the server fails or is unreachable, as long as the stream lasts; after it the next stream repeats it.
   */
  async #answer(
    answersAt: () => string,
    { id, answer }: { id: string; answer: object },
    stream: { readonly ended: boolean },
  ): Promise<void> {
    while (!stream.ended) {
      try {
        await call(answersAt(), 'POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer });
        return;
      } catch (error) {
        // Rejected: it has its answer already.
        if (!isCut(error) && !/answer: 5\d\d /.test(String(error))) return;
        await sleep(TRY_AGAIN_MS);
      }
    }
  }
}

/** The conversation as it is stored. */
export function readView(url: string): Promise<ConversationView> {
  return call<ConversationView>(url, 'GET', `/api/conversations/${CONVERSATION}`);
}

/** Starts the conversation and asks; returns the id of the run. An existing message is found, not sent again. */
export async function ask(url: string): Promise<string> {
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  const configuration = { model: { providerId, modelId: 'scripted' } };
  await call(url, 'POST', '/api/conversations', { id: CONVERSATION, configuration });
  const message = { id: MESSAGE_ID, parts: [{ type: 'text', text: 'Count, please.' }] };
  const sent = await call<SentMessage>(url, 'POST', `/api/conversations/${CONVERSATION}/messages`, message);
  if (!('run' in sent)) throw new Error('the message was queued');
  return sent.run.id;
}

/** The server closed the connection during a request; its error responses are not cuts. */
function isCut(error: unknown): boolean {
  return error instanceof TypeError;
}
