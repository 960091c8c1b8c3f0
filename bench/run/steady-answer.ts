import { PROVIDER } from '../mock-model/start.ts';
import { stampsIn, steadyAnswer, withoutStamps } from '../mock-model/texts.ts';
import type { Api } from '../harness/api.ts';

/** One run and its reader. */
export class SteadyAnswer {
  readonly #expected: string;
  readonly #tokens: number;
  #text = '';
  #nextSeq = 1;
  #misplaced = 0;
  /** Latency of the tokens with a send time, in milliseconds. */
  readonly delays: number[] = [];
  ended: Promise<void> = Promise.resolve();

  private constructor(tokens: number) {
    this.#tokens = tokens;
    this.#expected = steadyAnswer(tokens);
  }

  static async begin(api: Api, tokens: number): Promise<SteadyAnswer> {
    const answer = new SteadyAnswer(tokens);
    const modelId = `steady-${String(tokens)}`;
    const conversation = await api.createConversation({ model: { providerId: PROVIDER, modelId } });
    const run = await api.send(conversation, 'Tell me a long story.');
    answer.ended = api.read(run, (events, at) => {
      for (const event of events) {
        if (event.seq !== answer.#nextSeq++) answer.#misplaced++;
        if (event.type !== 'text_delta') continue;
        answer.#text += event.text;
        for (const sent of stampsIn(event.text)) answer.delays.push(Number(at - sent) / 1e6);
      }
    });
    // Awaited at the end; until then a rejection must not end the process.
    answer.ended.catch(() => undefined);
    return answer;
  }

  faults(): string[] {
    const faults: string[] = [];
    if (this.#misplaced > 0) faults.push(`${String(this.#misplaced)} events out of order`);
    if (withoutStamps(this.#text) !== this.#expected)
      faults.push(`${String(this.#text.length)} characters that are not the ${String(this.#tokens)} tokens sent`);
    return faults;
  }
}
