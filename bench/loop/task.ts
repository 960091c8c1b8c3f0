/**
 * What every contender does: so many turns that each ask for one call of `echo`, then an answer of 200 tokens. The
 * name of the model carries the number of calls, so that the mock needs no state of its own.
 */
export type Scenario = { name: string; calls: number };

/** `exchange`: a call and an answer. `run-11`: eleven requests, ten of them with a call. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'exchange', calls: 1 },
  { name: 'run-11', calls: 10 },
];

export const ANSWER_TOKENS = 200;
export const PROMPT = 'Echo what you are told to echo, then sum it up.';

/** The tokens of the answer, in order; some need escaping in JSON, as real text does. */
export const answerTokens: readonly string[] = Array.from({ length: ANSWER_TOKENS }, (_, index) =>
  index % 40 === 39 ? '.\n' : index % 25 === 24 ? ' "quoted"' : ` word${index}`,
);

/** The whole answer; whoever returns anything else has not done the work. */
export const ANSWER = answerTokens.join('');

/** The name of the model that asks for so many calls before it answers. */
export function modelName(calls: number): string {
  return `calls-${calls}`;
}

/** How many calls the named model asks for; null for a name this bench does not know. */
export function callsOf(model: unknown): number | null {
  const digits = typeof model === 'string' ? /^calls-(\d+)$/.exec(model)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

/** What call number `index` sends; each differs, so that nobody's guard against repeated calls steps in. */
export function noteOf(index: number): string {
  return `note number ${index}`;
}
