export { createReasoningSplitter, createToolCallTextParser, type ToolCallTextParserOptions } from './create-parser.ts';
export {
  describeTools,
  renderTextCalls,
  renderTextResponse,
  toFunction,
  type DescribedTool,
  type ToolDescriptionFormat,
} from './describe.ts';
export { parseLenient } from './core/literal.ts';
export { TOOL_CALL_FAMILIES, type ToolCallFamilyName, type ToolCallFormat } from './formats.ts';
export { toolCallFormatForModel } from './model-formats.ts';
export type { TextCallPart, TextCallTool, ToolCallTextParser, WrittenCall } from './types.ts';
