import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';

/** The body of a request; undefined unless it is a JSON object. */
export async function readMessage(request: IncomingMessage): Promise<JsonObject | undefined> {
  const parsed = parseJson(await text(request));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}
