import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, messageOf, ToolyardError } from '@toolyard/protocol';
import { parseDocument, unreadable } from './parse-document.ts';

/** Documents that one OpenAPI document may refer to, directly and indirectly. */
const MAX_DOCUMENTS = 20;
const MAX_MS = 20_000;
/** Size and nesting of the schema of one function. References that repeat can grow without end. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 30;

/**
 * Replaces `$ref`s by what they refer to; the result may contain cycles and shared objects. Other documents are read
 * with `read` only: never from files.
 *
 * @throws ToolyardError that of `read`, or `bad_response`
 */
export async function dereference(
  url: string,
  document: JsonObject,
  read: (url: string) => Promise<string>,
): Promise<JsonObject> {
  const { $RefParser } = await import('@apidevtools/json-schema-ref-parser');
  let documents = 0;
  let refusal: ToolyardError | undefined;
  const guarded = async (address: string): Promise<string> => {
    try {
      documents += 1;
      if (documents > MAX_DOCUMENTS) throw unreadable(`${url} refers to more than ${MAX_DOCUMENTS} other documents.`);
      if (!/^https?:/i.test(address))
        throw unreadable(`${url} refers to ${address.slice(0, 200)}, which is not a web URL.`);
      return await read(address);
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown)) refusal ??= thrown;
      throw thrown;
    }
  };
  try {
    const found: unknown = await new $RefParser().dereference(url, document, {
      resolve: {
        file: false,
        http: false,
        guarded: { order: 1, canRead: true, read: (file: { url: string }) => guarded(file.url) },
      },
      parse: {
        json: false,
        yaml: false,
        text: false,
        binary: false,
        own: {
          order: 1,
          canParse: true,
          parse: ({ data, url: name }: { data: unknown; url: string }) => parseDocument(String(data), name).value,
        },
      },
      timeoutMs: MAX_MS,
    });
    return isJsonObject(found) ? found : document;
  } catch (thrown) {
    throw refusal ?? unreadable(`${url}: a "$ref" cannot be resolved: ${messageOf(thrown).slice(0, 300)}.`);
  }
}

/** A schema of a dereferenced document as plain JSON of a limited size; null if it is larger. */
export function boundedCopy(schema: JsonValue | undefined): JsonObject | null {
  let nodes = 0;
  const open = new Set<object>();
  const copy = (value: unknown, depth: number): JsonValue => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new RangeError('too large');
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    // A schema that contains itself: deeper values are not described.
    if (open.has(value) || depth > MAX_DEPTH) return Array.isArray(value) ? [] : {};
    open.add(value);
    const copied = Array.isArray(value)
      ? value.map((each) => copy(each, depth + 1))
      : Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => key !== '$ref' && key !== '__proto__')
            .map(([key, each]) => [key, copy(each, depth + 1)]),
        );
    open.delete(value);
    return copied;
  };
  try {
    const copied = copy(schema, 0);
    return isJsonObject(copied) ? copied : {};
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
