import type { AssistantMessage, Message, ToolDefinition, ToolMessage } from '@toolyard/protocol';
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

/** Longest id that every provider accepts, in characters. */
const MAX_ID_LENGTH = 40;

/**
 * The wire ids of calls: the provider's own, unless it is missing, too long for others, or used by two calls.
 * Replacements are short and alphanumeric, as the strictest providers require.
 */
export function wireIdsOf(message: AssistantMessage): [callId: string, wireId: string][] {
  const calls = message.parts.filter((part) => part.type === 'tool_call');
  const uses = new Map<string, number>();
  for (const call of calls) {
    if (call.providerCallId !== undefined) uses.set(call.providerCallId, (uses.get(call.providerCallId) ?? 0) + 1);
  }
  return calls.map(({ callId, providerCallId: own = '' }) => {
    const fits = own !== '' && own.length <= MAX_ID_LENGTH && uses.get(own) === 1;
    return [callId, fits ? own : shortId(callId)];
  });
}

/** Nine letters and digits, derived from the id. */
export function shortId(id: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < id.length; at += 1) {
    first = Math.imul(first ^ id.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ id.charCodeAt(at), 0x85ebca6b) ^ (first >>> 15);
  }
  const base36 = (hash: number, count: number): string => (hash >>> 0).toString(36).padStart(count, '0').slice(-count);
  return base36(first, 5) + base36(second, 4);
}

/** The call format of a model with a known name; otherwise the most common one. */
export function textFormOf(model: string): ToolDescriptionFormat {
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
