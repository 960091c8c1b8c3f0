import type { JsonObject, JsonValue, ToolDifference } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

const MAX_DIFFERENCES = 50;
/** Values are cut to this many characters; the editor shows both in full. */
const MAX_LENGTH = 4_000;

/** Paths at which two values differ, as deep as possible; at most {@link MOST}. */
export function differencesBetween(before: JsonObject, after: JsonObject): ToolDifference[] {
  const found: ToolDifference[] = [];
  compare('', before, after, found);
  return found;
}

function compare(
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  into: ToolDifference[],
): void {
  if (into.length >= MAX_DIFFERENCES || Object.is(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(path === '' ? name : `${path}.${name}`, own(before, name), own(after, name), into);
    }
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
      compare(`${path}[${String(at)}]`, before[at], after[at], into);
    }
  } else {
    into.push({
      path,
      ...(before === undefined ? {} : { before: written(before) }),
      ...(after === undefined ? {} : { after: written(after) }),
    });
  }
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function written(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
