import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationView, Page, ProviderView, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import { call, readRun } from '../support/api.ts';
import { QUESTIONS } from './story.ts';

const CONVERSATION = 'torture';
/** A run has the id of the message that asks for it. */
const MESSAGES = ['0192f0c1-2345-7abc-8def-000000000001', '0192f0c1-2345-7abc-8def-000000000002'] as const;
const TRY_AGAIN_MS = 30;

/**
 * Asks both questions at once and follows both answers over any number of lives of the server: sends again what may be
 * lost, reads on where a stream was cut, approves for this conversation, and has every call in doubt repeated.
 */
export class Witness {
  /** What was read of each run, in the order it came. */
  readonly events: readonly [RunEvent[], RunEvent[]] = [[], []];

  /** Goes on for as long as the server lives; rejects with what the server says is wrong. */
  async goOn(url: string): Promise<'over' | 'cut'> {
    try {
      await this.#ask(url);
    } catch (thrown) {
      if (isCut(thrown)) return 'cut';
      throw thrown;
    }
    for (const [index, events] of this.events.entries()) {
      for (const event of events) this.#see(url, event);
      const end = await this.#follow(url, MESSAGES[index] ?? '', events);
      if (end === 'cut') return 'cut';
    }
    return 'over';
  }

  async view(url: string): Promise<ConversationView> {
    return call(url, 'GET', `/api/conversations/${CONVERSATION}`);
  }

  async answered(url: string): Promise<StoredInterrupt[]> {
    return (await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts?status=answered')).items;
  }

  async #ask(url: string): Promise<void> {
    const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
    const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    const configuration = { model: { providerId, modelId: 'scripted' } };
    await call(url, 'POST', '/api/conversations', { id: CONVERSATION, configuration });
    for (const [index, text] of QUESTIONS.entries()) {
      const message = { id: MESSAGES[index], parts: [{ type: 'text', text }] };
      await call(url, 'POST', `/api/conversations/${CONVERSATION}/messages`, message);
    }
  }

  /** The second run begins when the first is over. */
  async #follow(url: string, runId: string, events: RunEvent[]): Promise<'over' | 'cut'> {
    for (;;) {
      try {
        await call(url, 'GET', `/api/runs/${runId}`);
        return await readRun(url, runId, events, (event) => this.#see(url, event));
      } catch (thrown) {
        if (isCut(thrown)) return 'cut';
        if (!String(thrown).includes(': 404 ')) throw thrown;
      }
      await sleep(TRY_AGAIN_MS);
    }
  }

  #see(url: string, event: RunEvent): void {
    if (event.type !== 'interrupt_requested') return;
    const { id, kind } = event.interrupt;
    const answer = kind === 'approval' ? { decision: 'approve', scope: 'conversation' } : { decision: 'repeat' };
    // Refused where it has its answer already; lost where the server dies: it is given again in the next life.
    call(url, 'POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer }).catch(() => null);
  }
}

function isCut(thrown: unknown): boolean {
  return thrown instanceof TypeError;
}
