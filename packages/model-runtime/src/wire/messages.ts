import type { AssistantMessage, Message, ToolDefinition, ToolMessage } from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { COMMON_FORM, describeTools, renderTextCalls, type ToolDescriptionFormat } from '../tool-call-text/describe.ts';
import { toolCallFormatForModel } from '../tool-call-text/model-formats.ts';
import type { WrittenCall } from '../tool-call-text/types.ts';
import type { ChatRequest } from '../types.ts';

/** The tool messages from a place on, up to the first that is none. */
export function toolRun(messages: readonly Message[], from: number): ToolMessage[] {
  const run: ToolMessage[] = [];
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    run.push(message);
  }
  return run;
}

/** Longest id that every provider takes, in characters. */
const LONGEST_ID = 40;

/**
 * The id a call goes by on the wire: the provider's own, unless it is missing, too long for others, or given to two calls
 * at once. What stands in for it is short and plain, which the strictest want.
 */
export function wireIdsOf(message: AssistantMessage): [callId: string, wireId: string][] {
  const calls = message.parts.filter((part) => part.type === 'tool_call');
  const uses = new Map<string, number>();
  for (const call of calls) {
    if (call.providerCallId !== undefined) uses.set(call.providerCallId, (uses.get(call.providerCallId) ?? 0) + 1);
  }
  return calls.map(({ callId, providerCallId: own = '' }) => {
    const fits = own !== '' && own.length <= LONGEST_ID && uses.get(own) === 1;
    return [callId, fits ? own : shortId(callId)];
  });
}

/** Nine letters and digits, always the same for the same id. */
export function shortId(id: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < id.length; at += 1) {
    first = Math.imul(first ^ id.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ id.charCodeAt(at), 0x85ebca6b) ^ (first >>> 15);
  }
  const letters = (hash: number, count: number): string => (hash >>> 0).toString(36).padStart(count, '0').slice(-count);
  return letters(first, 5) + letters(second, 4);
}

/** The form of calls a model that is known by its name was taught; for any other the one most have seen. */
export function textFormOf(model: string): ToolDescriptionFormat {
  const format = toolCallFormatForModel(model);
  return format === 'auto' || format === 'plain' ? COMMON_FORM : format;
}

/** What stands at the end of the system prompt where calls are written as text: there is no tool choice to set. */
export function textModeSuffix(request: ChatRequest, form: ToolDescriptionFormat = COMMON_FORM): string {
  if (request.toolMode === 'native' || request.tools.length === 0) return '';
  if (request.toolChoice === 'none') return 'No tool can be called any more. Answer now from what you know.';
  const described = scrub(describeTools(offered(request), form));
  return request.toolChoice === 'auto' ? described : `${described}\n\nAnswer with a call.`;
}

function offered({ tools, toolChoice }: ChatRequest): readonly ToolDefinition[] {
  return typeof toolChoice === 'string' ? tools : tools.filter((tool) => tool.name === toolChoice.name);
}

/** The place of the first message of the turn under way: the one behind the person's last. */
export function turnStart(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === 'user') + 1;
}

/** An answer as a model that writes its calls as text would have written it. */
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

/** The text of all system messages, and what else stands at its end. */
export function systemText(messages: readonly Message[], suffix: string): string {
  const texts = messages.flatMap((message) =>
    message.role === 'system' ? [message.parts.map((part) => part.text).join('\n\n')] : [],
  );
  return scrub([...texts, suffix].filter((text) => text !== '').join('\n\n'));
}
