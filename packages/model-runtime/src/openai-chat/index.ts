/**
 * Messages and tools as OpenAI's chat completions take them, for whoever sends such requests themselves.
 * @module
 */
export { toOpenAiMessages, type OpenAiChatMessageOptions } from './messages.ts';
export { toOpenAiTools, type OpenAiTool } from './tools.ts';
