import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

type Open = '{' | '[';
/** A prefix of the text that is complete except for these open brackets. */
type Prefix = { end: number; open: readonly Open[] };

/** The longest incomplete escape sequence at the end of a string: `\u12`. */
const MAX_ESCAPE = 6;

/**
 * What can be read of arguments that a model is still writing: open strings and brackets are closed, an incomplete key,
 * number or word at the end is left out. Null if nothing can be read.
 */
export function partialArguments(text: string): JsonObject | null {
  const open: Open[] = [];
  let complete: Prefix | null = null;
  let isString = false;
  let isEscaped = false;
  let isKey = false;
  /** The next string is a key. */
  let wantsKey = false;
  const mark = (end: number): void => {
    complete = { end, open: [...open] };
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = true;
      else if (character === '"') {
        isString = false;
        if (!isKey) mark(index + 1);
      }
      continue;
    }
    switch (character) {
      case '"':
        isString = true;
        isKey = wantsKey;
        break;
      case '{':
      case '[':
        open.push(character);
        wantsKey = character === '{';
        mark(index + 1);
        break;
      case '}':
      case ']':
        open.pop();
        mark(index + 1);
        break;
      case ':':
        wantsKey = false;
        break;
      case ',':
        mark(index);
        wantsKey = open.at(-1) === '{';
        break;
      default:
    }
  }
  if (isString && !isKey) {
    for (let cut = 0; cut < MAX_ESCAPE; cut += 1) {
      const read = readObject(`${text.slice(0, text.length - cut)}"`, open);
      if (read !== null) return read;
    }
  }
  return readPrefix(text, complete);
}

function readPrefix(text: string, prefix: Prefix | null): JsonObject | null {
  return prefix === null ? null : readObject(text.slice(0, prefix.end), prefix.open);
}

function readObject(text: string, open: readonly Open[]): JsonObject | null {
  const closing = open.toReversed().map((bracket) => (bracket === '{' ? '}' : ']'));
  const parsed = parseJson(text + closing.join(''));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}
