import type { JsonObject, JsonValue, ResourcePart } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { readBlock, readMedia, readResource } from './read-result.ts';
import type { Completion, FilledPrompt } from '../types.ts';
import { SERVER_LIMITS } from '../values/server-limits.ts';

const MAX_VALUES = 100;

/** Reads the result of `resources/read`. @throws ToolyardError if nothing in it is readable */
export function readContents(serverId: string, uri: string, raw: unknown): ResourcePart[] {
  const contents = isJsonObject(raw) ? raw['contents'] : undefined;
  const parts = (Array.isArray(contents) ? contents : []).flatMap((entry) => {
    const part = isJsonObject(entry) ? toContentPart(entry, uri) : undefined;
    return part === undefined ? [] : [part];
  });
  if (parts.length > 0 || (Array.isArray(contents) && contents.length === 0)) return parts;
  throw createUnreadableAnswerError(serverId, `the resource "${uri}"`);
}

function toContentPart(entry: JsonObject, uri: string): ResourcePart | undefined {
  const media = readMedia(entry['blob'], entry['mimeType']);
  return media === undefined && typeof entry['text'] !== 'string' ? undefined : readResource({ uri, ...entry }, media);
}

/**
 * Reads the result of `prompts/get`. An unreadable message is replaced by a text that says so.
 *
 * @throws ToolyardError if it contains no list of messages
 */
export function readFilledPrompt(serverId: string, name: string, raw: unknown): FilledPrompt {
  const messages = isJsonObject(raw) ? raw['messages'] : undefined;
  if (!isJsonObject(raw) || !Array.isArray(messages))
    throw createUnreadableAnswerError(serverId, `the prompt "${name}"`);
  const { description } = raw;
  return {
    ...(typeof description === 'string' ? { description } : {}),
    messages: messages.flatMap(readMessage),
  };
}

function readMessage(raw: JsonValue): FilledPrompt['messages'] {
  if (!isJsonObject(raw)) return [];
  const role = raw['role'] === 'assistant' ? 'assistant' : 'user';
  // The protocol has one content block per message; some servers send several.
  return [raw['content'] ?? null].flat().map((block) => ({ role, content: readBlock(block, 'The prompt') }));
}

/** Reads the result of `completion/complete`; an unreadable one has no values. */
export function readCompletion(raw: unknown): Completion {
  const completion = isJsonObject(raw) && isJsonObject(raw['completion']) ? raw['completion'] : {};
  const { values, total, hasMore } = completion;
  const texts = (Array.isArray(values) ? values : [])
    .filter((value) => typeof value === 'string')
    .filter(({ length }) => length <= SERVER_LIMITS.completion);
  return {
    values: texts.slice(0, MAX_VALUES),
    ...(typeof total === 'number' ? { total } : {}),
    hasMore: hasMore === true || texts.length > MAX_VALUES,
  };
}

function createUnreadableAnswerError(serverId: string, what: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: `The server "${serverId}" sent ${what} in an unreadable form.`,
  });
}
