import type { AssistantMessage, Message, ToolDefinition, ToolMessage, ToolMode } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { COMMON_FORM, describeTools, renderTextCalls, type ToolDescriptionFormat } from '../tool-call-text/describe.ts';
import { toolCallFormatForModel } from '../tool-call-text/model-formats.ts';
import type { WrittenCall } from '../tool-call-text/types.ts';
import type { ChatRequest } from '../types.ts';

/** The consecutive tool messages from an index on. */
export function toolRun(messages: readonly Message[], from: number): ToolMessage[] {
  const run: ToolMessage[] = [];
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    run.push(message);
  }
  return run;
}

/** The call format of a model with a known name; otherwise the most common one. */
export function getTextForm(model: string): ToolDescriptionFormat {
  const format = toolCallFormatForModel(model);
  return format === 'auto' || format === 'plain' ? COMMON_FORM : format;
}

/** The text at the end of the system prompt if calls are written as text; it replaces the tool choice. */
export function textModeSuffix(request: ChatRequest, form: ToolDescriptionFormat = COMMON_FORM): string {
  if (request.toolMode === 'native' || request.tools.length === 0) return '';
  if (request.toolChoice === 'none') return 'Tools cannot be called any more. Answer now from what you know.';
  const described = scrub(describeTools(offered(request), form));
  return request.toolChoice === 'auto' ? described : `${described}\n\nAnswer with a tool call.`;
}

function offered({ tools, toolChoice }: ChatRequest): readonly ToolDefinition[] {
  return typeof toolChoice === 'string' ? tools : tools.filter((tool) => tool.name === toolChoice.name);
}

/** Index of the first message of the current turn: the one after the last user message. */
export function turnStart(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === 'user') + 1;
}

/** An answer as a model that writes calls as text would have written it. */
export function answerAsText(message: AssistantMessage, form: ToolDescriptionFormat = COMMON_FORM): string {
  const calls: WrittenCall[] = [];
  let text = '';
  for (const part of message.parts) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'malformed_tool_call') text += `${text === '' ? '' : '\n'}${part.raw}`;
    else if (part.type === 'tool_call') calls.push({ name: part.name, arguments: scrubJson(part.arguments) });
  }
  const written = calls.length === 0 ? '' : renderTextCalls(calls, form);
  return scrub([text, written].filter((piece) => piece !== '').join('\n'));
}

/** The text of all system messages, followed by the suffix. */
export function systemText(messages: readonly Message[], suffix: string): string {
  const texts = messages.flatMap((message) =>
    message.role === 'system' ? [message.parts.map((part) => part.text).join('\n\n')] : [],
  );
  return scrub([...texts, suffix].filter((text) => text !== '').join('\n\n'));
}

/**
 * How earlier calls are written. APIs whose calls need definitions reject those in a request without tools: they are
 * written as text.
 */
export function historyMode({ tools, toolMode }: ChatRequest): ToolMode {
  return tools.length === 0 ? 'text' : toolMode;
}
