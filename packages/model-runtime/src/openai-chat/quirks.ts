/** Deviations of a server from the common behaviour. All are optional. */
export type OpenAiChatQuirks = {
  /** Does not support `tool_choice: "none"`: the definitions are omitted instead. */
  noToolChoiceNone?: boolean;
  /**
   * Expects `max_completion_tokens` instead of `max_tokens`. Detected automatically, at the cost of one rejected
   * request.
   */
  maxCompletionTokens?: boolean;
  /** Rejects `stream_options`. Detected automatically, at the cost of one rejected request. */
  noStreamOptions?: boolean;
  /** Does not stream answers that may call tools. */
  noStreamWithTools?: boolean;
  /** The chat template opens the thinking block, so the answer starts inside it without a `<think>`. */
  startsInReasoning?: boolean;
  /** Requires an answer between results and a user message. Detected automatically, at the cost of one rejected request. */
  answersResults?: boolean;
  /** Requires call ids of nine letters and digits. Detected automatically, at the cost of one rejected request. */
  shortCallIds?: boolean;
  /**
   * Requires the reasoning of all earlier answers, and rejects calls without. Detected automatically, at the cost of one
   * rejected request.
   */
  reasoningInCalls?: boolean;
  /** How the server continues a partial answer; absent: not supported or unknown. */
  continuing?: ContinuingStyle;
  /** Largest number of tools. */
  maxTools?: number;
  /** Statuses besides 400, 422 and 500 with which models without tool support are reported. */
  toolRefusals?: readonly number[];
  /** How the reasoning effort is sent, default `reasoning_effort`. */
  reasoning?: ReasoningStyle;
};

/**
 * - `last_message`: continues if the last message is an answer; llama.cpp
 * - `prefix`: the message needs `prefix: true`; Mistral
 * - `continue_final_message`: the request needs that field; vLLM
 */
type ContinuingStyle = 'last_message' | 'prefix' | 'continue_final_message';

/**
 * - `reasoning_effort`: OpenAI and most
 * - `reasoning`: `{ effort }`, OpenRouter
 * - `thinking`: `{ type: 'enabled' | 'disabled' }`, Zhipu, Moonshot, Volcengine, DeepSeek
 * - `enable_thinking`: true or false, Qwen, SiliconFlow
 * - `chat_template_kwargs`: `{ enable_thinking }`, vLLM, SGLang, llama.cpp
 */
export type ReasoningStyle = 'reasoning_effort' | 'reasoning' | 'thinking' | 'enable_thinking' | 'chat_template_kwargs';
