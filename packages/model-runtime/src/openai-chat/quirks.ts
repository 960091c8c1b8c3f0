/** Where a server differs from what most understand. All default to false. */
export type OpenAiChatQuirks = {
  /** It has no `tool_choice: "none"`: the definitions are left out instead. */
  noToolChoiceNone?: boolean;
  /** It wants `max_completion_tokens` for `max_tokens`. */
  maxCompletionTokens?: boolean;
  /** It refuses `stream_options`. Found out by itself, at the cost of one request. */
  noStreamOptions?: boolean;
  /** The prompt opens the thinking block, so the answer begins inside it without a `<think>`. */
  startsInReasoning?: boolean;
};
