/**
 * Converts messages and tools to the OpenAI Chat Completions format, for callers that send the requests themselves.
 * @module
 */
export { toOpenAiMessages, type OpenAiChatMessageOptions } from './messages.ts';
export { toOpenAiTools, type OpenAiTool } from './tools.ts';
