import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** The member of what replaces a reference that leads nowhere: the reference, and why. */
const UNRESOLVED = 'x-toolyard-unresolved';

/** What a part of a document says about itself if its reference leads nowhere; undefined for any other part. */
export function unresolvedIn(part: JsonValue | undefined): string | undefined {
  const why = isJsonObject(part) ? part[UNRESOLVED] : undefined;
  return typeof why === 'string' ? why : undefined;
}

/** What replaces a reference that leads nowhere. */
export function unresolved(reference: string, why?: string): JsonObject {
  const reason = why === undefined ? '' : `: ${why.slice(0, 300)}`;
  return { [UNRESOLVED]: `its reference "${reference.slice(0, 200)}" leads nowhere${reason}` };
}

/** Members whose value is data: a `$ref` in it is no reference, and null is a value. */
const DATA = /^(?:default|enum|const|examples?|x-.*)$/;
/** Members whose keys are names, not members. */
const NAMES =
  /^(?:properties|patternProperties|dependentSchemas|\$defs|definitions|paths|pathItems|webhooks|schemas|responses|parameters|requestBodies|headers|securitySchemes|links|callbacks|content|encoding|variables|mapping)$/;

/**
 * A document whose references can be followed. Rule: one faulty part concerns what uses it, not the document. A reference
 * that is no URL, or whose pointer cannot be decoded, is replaced by a mark; a member that is null is absent; data that
 * looks like a reference is left out.
 */
export function withMarkedReferences(document: JsonObject, url: string): JsonObject {
  const known = new Map<JsonValue, JsonValue>();
  const read = (value: JsonValue, isNames: boolean): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    // Documents in YAML may contain an object twice.
    const before = isNames ? undefined : known.get(value);
    if (before !== undefined) return before;
    const copy = Array.isArray(value) ? value.map((each) => read(each, false)) : readObject(value, isNames);
    if (!isNames) known.set(value, copy);
    return copy;
  };
  const readObject = (object: JsonObject, isNames: boolean): JsonObject => {
    const { $ref: reference } = object;
    if (!isNames && typeof reference === 'string' && !isReference(reference, url)) return unresolved(reference);
    return Object.fromEntries(
      Object.entries(object).flatMap(([name, value]): [string, JsonValue][] => {
        if (!isNames && DATA.test(name)) return JSON.stringify(value).includes('"$ref"') ? [] : [[name, value]];
        return value === null ? [] : [[name, read(value, !isNames && NAMES.test(name))]];
      }),
    );
  };
  return readObject(document, false);
}

function isReference(reference: string, url: string): boolean {
  const [address = '', pointer = ''] = reference.split('#');
  try {
    decodeURIComponent(pointer);
    decodeURIComponent(address);
    return URL.canParse(reference, url);
  } catch {
    return false;
  }
}
