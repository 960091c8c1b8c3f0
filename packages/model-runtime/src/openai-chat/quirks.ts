/** Where a server differs from what most understand. All are optional. */
export type OpenAiChatQuirks = {
  /** It has no `tool_choice: "none"`: the definitions are left out instead. */
  noToolChoiceNone?: boolean;
  /** It wants `max_completion_tokens` for `max_tokens`. Found out by itself, at the cost of one request. */
  maxCompletionTokens?: boolean;
  /** It refuses `stream_options`. Found out by itself, at the cost of one request. */
  noStreamOptions?: boolean;
  /** It gives an answer that may call tools only whole. */
  noStreamWithTools?: boolean;
  /** The prompt opens the thinking block, so the answer begins inside it without a `<think>`. */
  startsInReasoning?: boolean;
  /** How it is told to go on with an answer that was begun; absent: it cannot, or nobody says that it can. */
  continuing?: ContinuingStyle;
  /** How it wants to be told how hard to think, default `reasoning_effort`. */
  reasoning?: ReasoningStyle;
};

/**
 * - `last_message`: an answer that stands last is gone on with, llama.cpp
 * - `prefix`: it has to be marked as `prefix`, Mistral
 * - `continue_final_message`: and asked for, vLLM
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
