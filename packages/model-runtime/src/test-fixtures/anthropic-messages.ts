import { isJsonObject, parseJson, type JsonObject, type Message } from '@toolyard/protocol';
import { toOutgoing } from '../anthropic-messages/request.ts';
import type { ChatRequest } from '../types.ts';
import { request } from './requests.ts';

/** The body of a request to a server that supports none of the features in `without`. */
export function body(
  messages: Message[] | string,
  more: Partial<ChatRequest> = {},
  without: string[] = [],
): JsonObject {
  const outgoing = toOutgoing(request(messages, { model: 'claude-opus-4-8', ...more }), {}, new Set(without));
  const read = parseJson(outgoing.body);
  if (!read.ok || !isJsonObject(read.value)) throw new Error(`no JSON object: ${outgoing.body}`);
  return read.value;
}
