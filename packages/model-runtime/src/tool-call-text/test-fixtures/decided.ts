import type { Case } from './cases.ts';

type DecidedOutcome = Partial<Case['expect']>;

/** Rejected: the call would be a guess. */
const NO_CALL: DecidedOutcome = { tool_calls: [] };

/** The decided outcomes of cases on which engines differ, if not the recorded ones (reasons: docs/decisions/text-calls.md). */
export const DECIDED: Readonly<Record<string, DecidedOutcome>> = {
  // Text before, between and after calls is kept.
  'vllm-glm45-mixed': {
    content: 'I will help you get the weather info.\n\nmeaningwhile, I will also check the weather in Shanghai.',
  },
  'smg-qwen_with_text_between': {
    content: "First, let me search for information.\n\nNow I'll translate something.\nDone!",
  },
  'vllm-hunyuan-4': { content: 'Thank you!' },
  'vllm-llama3json-text_around': { content: 'Here is the result: Would you like to know more?' },
  'vllm-mistral-prev11-trailing_data_after_json': { content: 'extra trailing data' },
  'smg-steptml_format': { content: 'Text before.Text after.' },

  // A marker without a call is text, like the text after it.
  'vllm-mistral-prev11-not-json': { content: '[TOOL_CALLS] not json at all' },

  // Thinking is separated from text.
  'ollama-tools-deepseek_incremental': { content: null, reasoning: 'Wait, I need to call a tool' },

  // A marked call counts whatever tool it names: the runtime answers that the tool does not exist.
  'sglang-Glm4Moe-invalid_tool_call': {
    tool_calls: [{ name: 'invalid_func', arguments: { city: 'Beijing' } }],
  },
  'vllm-internlm2-unknown_tool': {
    tool_calls: [{ name: 'delete_everything', arguments: { city: 'Tokyo' } }],
  },

  // In a marked block, a name without arguments is a call without arguments.
  'vllm-minimax_m1-missing_fields': {
    tool_calls: [
      { name: 'valid_tool', arguments: { city: 'Seattle' } },
      { name: 'missing_args', arguments: {} },
      { name: 'another_valid_tool', arguments: { param: 'value' } },
    ],
  },

  // Without a schema, text that parses as JSON is JSON; other values keep every character.
  'ollama-glm47-three-strings': {
    tool_calls: [
      { name: 'first', arguments: { a: 1 } },
      { name: 'second', arguments: { b: 2 } },
      { name: 'third', arguments: { c: 3 } },
    ],
  },
  'smg-qwen_xml_empty_parameter_value': {
    tool_calls: [{ name: 'process', arguments: { empty: '', whitespace: '   ', normal: 'value' } }],
  },

  // Truncated JSON is not completed, and unescaped quotes are not guessed.
  'vllm-apertus-incomplete': NO_CALL,
  'aisdk-hermes-name-in-arguments': NO_CALL,
  'aisdk-hermes-unescaped-quotes': NO_CALL,
  'vllm-lfm2-nested_quote_nonstreaming': NO_CALL,
};
