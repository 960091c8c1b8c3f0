import type { Opening } from '../core/opening.ts';
import { swallow } from '../thinking.ts';

/** What may be left behind a call: ends written twice, and the tokens that end a model's turn. */
const BEHIND_CALLS = [
  '</tool_call>',
  '</tool_calls>',
  '</function>',
  '</function_call>',
  '</function_calls>',
  '</invoke>',
  '</minimax:tool_call>',
  '</seed:tool_call>',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
  '<|python_end|>',
  '[/TOOL_CALLS]',
  '<｜tool▁calls▁end｜>',
  '<|tool▁calls▁end|>',
  '<｜end▁of▁sentence｜>',
  '<|end▁of▁sentence|>',
  '</s>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<|END_OF_TURN_TOKEN|>',
  '<end_of_turn>',
  '<turn|>',
  '<SPECIAL_12>',
];

/** Swallowed where nothing but whitespace lies between them and a call; and a turn's beginning that was let through. */
export const strays: readonly Opening[] = [
  ...BEHIND_CALLS.map((marker): Opening => ({ marker, place: 'after_call', read: swallow })),
  { marker: '<|im_start|>assistant\n', place: 'lead', read: swallow },
];
