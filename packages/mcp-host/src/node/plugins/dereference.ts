import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, messageOf, ToolyardError } from '@toolyard/protocol';
import { unresolved, unresolvedIn, withMarkedReferences } from './mark-references.ts';
import { parseDocument, createUnreadableError } from './parse-document.ts';

/** Documents that one OpenAPI document may refer to, directly and indirectly. */
const MAX_DOCUMENTS = 20;
const MAX_MS = 20_000;
/** Size and nesting of the schema of one function. References that repeat can grow without end. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 30;

/**
 * Replaces `$ref`s by what they refer to; the result may contain cycles and shared objects. Other documents are read
 * with `read` only: never from files. A reference that cannot be resolved concerns what uses it, not the document: it is
 * replaced by a mark ({@link unresolvedIn}). `refusal`: why the first other document could not be read.
 *
 * @throws ToolyardError `bad_response` if the references cannot be followed at all
 */
export async function dereference(
  url: string,
  document: JsonObject,
  read: (url: string) => Promise<string>,
): Promise<{ document: JsonObject; refusal: ToolyardError | undefined }> {
  const { $RefParser, JSONParserErrorGroup } = await import('@apidevtools/json-schema-ref-parser');
  let documents = 0;
  const failures = new Map<string, string>();
  let refusal: ToolyardError | undefined;
  const guarded = async (address: string): Promise<string> => {
    try {
      documents += 1;
      if (documents > MAX_DOCUMENTS)
        throw createUnreadableError(`${url} refers to more than ${MAX_DOCUMENTS} other documents.`);
      if (!/^https?:/i.test(address))
        throw createUnreadableError(`${url} refers to ${address.slice(0, 200)}, which is not a web URL.`);
      return await read(address);
    } catch (thrown) {
      failures.set(address, messageOf(thrown));
      if (ToolyardError.isInstance(thrown)) refusal ??= thrown;
      throw thrown;
    }
  };
  const mark = (reference: string, value: unknown, parent: unknown, name: string | undefined): void => {
    if (value !== null || typeof parent !== 'object' || parent === null || name === undefined) return;
    const file = reference.replace(/#.*$/s, '').replace(/^(\.{0,2}\/)+/, '');
    const [, why] = [...failures].find(([address]) => file !== '' && address.endsWith(file)) ?? [];
    Object.assign(parent, { [name]: unresolved(reference, why) });
  };
  const parser = new $RefParser();
  try {
    await parser.dereference(url, withMarkedReferences(document, url), {
      continueOnError: true,
      dereference: { onDereference: mark },
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
          parse: ({ data, url: name }: { data: unknown; url: string }) =>
            withMarkedReferences(parseDocument(String(data), name).value, name),
        },
      },
      timeoutMs: MAX_MS,
    });
  } catch (thrown) {
    // With all errors of single references, once everything else is resolved.
    if (!(thrown instanceof JSONParserErrorGroup)) {
      throw createUnreadableError(`${url}: a "$ref" cannot be resolved: ${messageOf(thrown).slice(0, 300)}.`);
    }
  }
  return { document: isJsonObject(parser.schema) ? parser.schema : document, refusal };
}

/** A schema of a dereferenced document as plain JSON of a limited size; the reason if that is not possible. */
export function boundedCopy(schema: JsonValue | undefined): JsonObject | string {
  let nodes = 0;
  const open = new Set<object>();
  const copy = (value: unknown, depth: number): JsonValue => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new RangeError('its schema is too large.');
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    const why = unresolvedIn(value as JsonObject);
    if (why !== undefined) throw new RangeError(`${why}.`);
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
    if (thrown instanceof RangeError) return thrown.message;
    throw thrown;
  }
}
