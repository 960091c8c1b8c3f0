export type { CallOptions, ChatRequest, ModelInfo, ModelRuntime, StreamPart } from './types.ts';
export { createOpenAiChatRuntime, type OpenAiChatOptions } from './openai-chat/runtime.ts';
export type { OpenAiChatQuirks } from './openai-chat/quirks.ts';
export { toOpenAiMessages, type MessageOptions } from './openai-chat/messages.ts';
export { toOpenAiTools, type OpenAiTool } from './openai-chat/tools.ts';
export {
  createToolCallTextParser,
  type ToolCallTextParser,
  type ToolCallTextParserOptions,
} from './text-calls/parser.ts';
export type { TextCallPart } from './text-calls/types.ts';
export type { ToolCallFormat } from './text-calls/families.ts';
export { describeTools, type ToolDescriptionFormat } from './text-calls/describe.ts';
export { createDemoRuntime, type DemoOptions } from './demo/runtime.ts';
export { findLocalServers, type FindLocalServersOptions, type LocalServer } from './local-servers.ts';
export { LOCAL_SERVERS, type LocalServerRecord } from './local-servers-data.ts';
