import {
  parseJson,
  type AssistantMessage,
  type JsonValue,
  type Message,
  type SystemMessage,
  type ToolMessage,
  type ToolMode,
  type UserMessage,
} from '@toolyard/protocol';
import { scrub, scrubJson } from '../scrub.ts';
import { renderTextResponse, type ToolDescriptionFormat } from '../tool-call-text/describe.ts';
import { ANY_ID, CallIds } from '../wire/call-ids.ts';
import { joinJsonStrings, remember, rememberVariant } from '../wire/json-text.ts';
import { answerAsText, toolRun, turnStart } from '../wire/messages.ts';
import { isFromModel, NO_REASONING, type ReplayedReasoning } from '../wire/replay.ts';
import { toToolContent, toUserContent } from './content.ts';
import { readReplay } from './replay.ts';

/** Options of {@link toOpenAiMessages}. */
export type OpenAiChatMessageOptions = {
  toolMode: ToolMode;
  /** Format of the calls of earlier turns in the mode `text`. */
  textForm?: ToolDescriptionFormat;
  /** Appended to the system prompt unless empty. */
  systemSuffix?: string;
  /** The model that receives the conversation; absent: the one that wrote all answers. */
  model?: string;
  /** Default `none`. `own`: that of the current turn, because many servers reject that of earlier ones. */
  reasoning?: ReplayedReasoning;
  /** The form of call ids that the server requires. */
  callIds?: RegExp;
  /** Sends an empty text with calls instead of `null`. */
  emptyContent?: boolean;
  /** Separates a user message from results before it by an answer. */
  answersResults?: boolean;
};

/**
 * The `messages` of a request as values; {@link messagesJson} produces what is sent.
 *
 * @example
 * const json = toOpenAiMessages(messages, { toolMode: 'native' });
 */
export function toOpenAiMessages(messages: readonly Message[], options: OpenAiChatMessageOptions): JsonValue[] {
  return messagesJson(messages, options).map((json) => {
    const parsed = parseJson(json);
    return parsed.ok ? parsed.value : null;
  });
}

/**
 * The `messages` of a request, each as JSON. Messages are immutable, so each is serialized once and cached as long as
 * it lives.
 */
export function messagesJson(messages: readonly Message[], options: OpenAiChatMessageOptions): string[] {
  const out: string[] = [];
  const { model, reasoning = 'none' } = options;
  const ids = new CallIds(options.callIds ?? ANY_ID, model);
  const suffix = options.systemSuffix ?? '';
  const replayFrom = { none: messages.length, own: turnStart(messages), in_every_call: 0 }[reasoning];
  if (suffix !== '' && messages[0]?.role !== 'system') out.push(plainMessage('system', JSON.stringify(suffix)));

  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) break;
    switch (message.role) {
      case 'system':
        out.push(systemJson(message, at === 0 ? suffix : ''));
        break;
      case 'user':
        pushUser(out, userContentJson(message));
        break;
      case 'assistant': {
        if (options.toolMode === 'text') {
          const json = textAnswer(message, options.textForm);
          if (json !== null) out.push(json);
          break;
        }
        const isReplayed = at >= replayFrom && (model === undefined || isFromModel(message, model));
        const fills = reasoning === 'in_every_call';
        const form = { isReplayed, fills, noText: options.emptyContent === true ? '' : null };
        const variant = `${isReplayed} ${fills} ${form.noText} ${ids.add(message)}`;
        const json = rememberVariant(assistantCache, message, variant, () => assistantJson(message, ids, form));
        if (json !== null) out.push(json);
        break;
      }
      case 'tool': {
        const run = toolRun(messages, at);
        if (options.toolMode === 'native') pushNativeResults(out, run, ids);
        else pushTextResults(out, run);
        at += run.length - 1;
        break;
      }
    }
  }
  return options.answersResults === true ? withAnswers(out) : out;
}

const NO_ANSWER = '{"role":"assistant","content":"(no answer)"}';

function withAnswers(messages: readonly string[]): string[] {
  return messages.flatMap((each, at) =>
    each.startsWith(USER_HEAD) && messages[at - 1]?.startsWith(RESULT_HEAD) === true ? [NO_ANSWER, each] : [each],
  );
}

function plainMessage(role: 'system' | 'user', contentJson: string): string {
  return `{"role":"${role}","content":${contentJson}}`;
}

const systemCache = new WeakMap<SystemMessage, string>();
const userCache = new WeakMap<UserMessage, string>();

function systemJson(message: SystemMessage, suffix: string): string {
  const text = remember(systemCache, message, () =>
    JSON.stringify(scrub(message.parts.map((p) => p.text).join('\n\n'))),
  );
  if (suffix === '') return plainMessage('system', text);
  const gap = text === '""' ? '' : '\\n\\n';
  return plainMessage('system', `${text.slice(0, -1)}${gap}${JSON.stringify(suffix).slice(1)}`);
}

function userContentJson(message: UserMessage): string {
  return remember(userCache, message, () => JSON.stringify(toUserContent(message.parts)));
}

const USER_HEAD = plainMessage('user', '').slice(0, -1);

/**
 * Adds a user message. If the previous one is a user message too (a failed answer leaves two questions in a row), both
 * are merged: many chat templates require alternating roles.
 */
function pushUser(out: string[], contentJson: string): void {
  const last = out.at(-1);
  if (last?.startsWith(USER_HEAD)) {
    out[out.length - 1] = plainMessage('user', joinContents(last.slice(USER_HEAD.length, -1), contentJson));
  } else out.push(plainMessage('user', contentJson));
}

function joinContents(first: string, second: string): string {
  const texts = [first, second];
  if (texts.every((json) => json.startsWith('"'))) return joinJsonStrings(texts, '\\n\\n');
  const items = texts.map((json) => (json.startsWith('[') ? json.slice(1, -1) : `{"type":"text","text":${json}}`));
  return `[${items.join(',')}]`;
}

const textCaches = new Map<ToolDescriptionFormat | undefined, WeakMap<AssistantMessage, string | null>>();

/** Null for an answer without content. */
function textAnswer(message: AssistantMessage, form: ToolDescriptionFormat | undefined): string | null {
  let cache = textCaches.get(form);
  if (cache === undefined) textCaches.set(form, (cache = new WeakMap()));
  return remember(cache, message, () => {
    const content = answerAsText(message, form);
    return content === '' ? null : JSON.stringify({ role: 'assistant', content });
  });
}

const assistantCache = new WeakMap<AssistantMessage, { variant: string; value: string | null }>();

/** `noText`: what is sent in place of a text beside calls. */
type AnswerForm = { isReplayed: boolean; fills: boolean; noText: string | null };

/** Null if nothing is left to send: a message with only reasoning or an error. */
function assistantJson(message: AssistantMessage, ids: CallIds, form: AnswerForm): string | null {
  const { isReplayed, fills, noText } = form;
  const replay = isReplayed ? readReplay(message.parts, fills) : null;
  const calls: JsonValue[] = [];
  let text = '';
  for (const part of message.parts) {
    switch (part.type) {
      case 'text':
        text += part.text;
        break;
      case 'malformed_tool_call':
        text += `${text === '' ? '' : '\n'}${part.raw}`;
        break;
      case 'tool_call': {
        const args = scrubJson(part.arguments);
        calls.push({
          id: ids.get(part.callId) ?? part.callId,
          type: 'function',
          function: { name: part.name, arguments: JSON.stringify(args) },
          ...replay?.calls.get(part.callId),
        });
        break;
      }
      default:
        // The API has no input form for other parts.
        break;
    }
  }
  if (text === '' && calls.length === 0) return null;
  const wire = {
    role: 'assistant',
    // Gateways of other APIs reject blank texts.
    content: calls.length > 0 && text.trim() === '' ? noText : scrub(text),
    ...(fills ? { reasoning_content: NO_REASONING } : {}),
    ...replay?.fields,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return JSON.stringify(wire);
}

/** JSON of the text and of each image; `native`: the serialized message for the last id of its call. */
type ToolWire = { content: string; images: readonly string[]; native: { id: string; json: string } | null };

const toolCache = new WeakMap<ToolMessage, ToolWire>();

function toolWire(message: ToolMessage): ToolWire {
  return remember(toolCache, message, () => {
    const { text, images } = toToolContent(message.parts[0].result);
    return { content: JSON.stringify(text), images: images.map((image) => JSON.stringify(image)), native: null };
  });
}

const RESULT_HEAD = '{"role":"tool","tool_call_id":';

/** The id depends on the messages before, but rarely changes. */
function nativeResultJson(wire: ToolWire, id: string): string {
  if (wire.native?.id === id) return wire.native.json;
  const json = `${RESULT_HEAD}${JSON.stringify(id)},"content":${wire.content}}`;
  wire.native = { id, json };
  return json;
}

const responseCache = new WeakMap<ToolMessage, string>();

/** JSON of a result as text between its tags. */
function responseJson(message: ToolMessage): string {
  return remember(responseCache, message, () =>
    JSON.stringify(renderTextResponse(message.name, toToolContent(message.parts[0].result).text)),
  );
}

/**
 * Results must directly follow the message with the calls. Images, and answers to malformed calls (which the provider
 * never received), follow the last result in a user message.
 */
function pushNativeResults(out: string[], run: readonly ToolMessage[], ids: CallIds): void {
  const texts: string[] = [];
  const images: string[] = [];
  for (const message of run) {
    const wire = toolWire(message);
    const id = ids.get(message.parts[0].callId);
    if (id === undefined) texts.push(responseJson(message));
    else out.push(nativeResultJson(wire, id));
    images.push(...wire.images);
  }
  if (texts.length > 0 || images.length > 0) pushUser(out, resultsContent(texts, images));
}

function pushTextResults(out: string[], run: readonly ToolMessage[]): void {
  const images = run.flatMap((message) => toolWire(message).images);
  pushUser(out, resultsContent(run.map(responseJson), images));
}

function resultsContent(texts: readonly string[], images: readonly string[]): string {
  const text = texts.length === 0 ? '"Images from the tool results above:"' : joinJsonStrings(texts, '\\n');
  return images.length === 0 ? text : `[{"type":"text","text":${text}},${images.join(',')}]`;
}
