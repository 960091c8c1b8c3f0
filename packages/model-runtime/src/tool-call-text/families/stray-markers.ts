import type { Opening } from '../core/opening.ts';
import { dropMarker } from '../thinking.ts';

/** Leftovers after a call: repeated end markers, and the end-of-turn tokens of models. */
const MARKERS_AFTER_CALLS = (
  '</tool_call> </tool_calls> </function> </function_call> </function_calls> </invoke> </minimax:tool_call> ' +
  '</seed:tool_call> </longcat_tool_call> </dots_function_call> </TOOLCALL> </｜DSML｜invoke> ' +
  '</｜DSML｜function_calls> </｜DSML｜tool_calls> </steptml:invoke> <｜tool_call_end｜> <｜tool_calls_end｜> ' +
  '[END_TOOL_REQUEST] [TOOL_REQUEST_END] <|END_ACTION|> <|action_end|> <|tools_suffix|> <|end_message|> ' +
  '<|tool_call_end|> <|tool_calls_section_end|> <|python_end|> [/TOOL_CALLS] <｜tool▁call▁end｜> ' +
  '<｜tool▁calls▁end｜> <|tool▁call▁end|> <|tool▁calls▁end|> <｜end▁of▁sentence｜> <|end▁of▁sentence|> </s> ' +
  '<|im_end|> <|eot_id|> <|eom_id|> <|end_of_text|> <|endoftext|> <|END_OF_TURN_TOKEN|> <end_of_turn> <turn|> ' +
  '<SPECIAL_12>'
).split(' ');

/** Dropped if only whitespace separates them from a call; also a start-of-turn token that the server passed through. */
export const strayMarkers: readonly Opening[] = [
  ...MARKERS_AFTER_CALLS.map((marker): Opening => ({ marker, place: 'after_call', read: dropMarker })),
  { marker: '<|im_start|>assistant\n', place: 'lead', read: dropMarker },
];
