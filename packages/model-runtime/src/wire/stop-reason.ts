import type { FinishReason } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';

/** What a stop reason means. `pending`: the answer continues; `unknown`: no known server is documented to send it. */
export type StopMeaning = FinishReason | 'malformed' | 'pending' | 'unknown';

/** By words within the reason, because servers combine them: the first match counts. */
const BY_WORDS: readonly (readonly [words: RegExp, meaning: StopMeaning])[] = [
  [/malformed|function_call_filter|(unexpected|invalid)_(function|tool)/, 'malformed'],
  [
    /filter|safety|sensitive|refus|guardrail|blocklist|blocked|prohibited|spii|recitation|moderation|^language$/,
    'content_filter',
  ],
  [/^too_many|^missing_/, 'unknown'],
  [/^(tool|function)_?(call|use)s?$/, 'tool_calls'],
  // A paused turn is not complete either.
  [/length|max_.*tokens|token_?limit|tokens_limit|context_window|^truncated$|^paused?_turn$/, 'length'],
  [/error|fail|abort|cancel|timeout|insufficient_system_resource|overloaded/, 'error'],
  [
    /^(stop|stopped|stop_(sequence|token|word|string)|end|ended|end_?turn|end_of_(turn|text|sequence)|endoftext)$/,
    'stop',
  ],
  [/^(eos|eos_token|eot|eot_id|eom_id|im_end|s|completed?|finish(ed)?|done|normal|success|ok)$/, 'stop'],
  [/^(null|none|undefined|pending|in_progress|not_finished)?$/, 'pending'],
];

/**
 * Reads the stop reason of any API. Some add details: `content_filter: SAFETY`.
 *
 * Rule: a reason that is not known is `unknown`, and shown.
 */
export function meaningOfStop(reason: string): StopMeaning {
  const plain = reason
    .split(':')[0]
    ?.replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z]+/g, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase();
  return BY_WORDS.find(([words]) => words.test(plain ?? ''))?.[1] ?? 'unknown';
}

/** The call that the model wrote and the API could not read, as `MALFORMED_FUNCTION_CALL` of Gemini reports it. */
export function malformedCall(raw: string): StreamPart {
  return { type: 'malformed_tool_call', raw, reason: 'the API reported it as malformed' };
}
