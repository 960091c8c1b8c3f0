import { findNodeAtLocation, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { JsonObject, JsonValue } from '@toolyard/protocol';

/** Why a value does not match its schema, and where; the path of the whole value is empty. */
export type SchemaFault = { path: readonly string[]; message: string };

/** Reads the errors of `checkArguments`: `"path/to": message`, or only a message for the whole value. */
export function readFaults(text: string | null): SchemaFault[] {
  if (text === null) return [];
  return text.split(/(?:^|\s)(?="[^"]*": )/).flatMap((piece): SchemaFault[] => {
    const [, pointer, message = piece] = /^"([^"]*)": ([\s\S]*)$/.exec(piece) ?? [];
    if (message.trim() === '') return [];
    const path = (pointer ?? '').split('/').filter((step) => step !== '');
    const missing = /required property "([^"]+)"/.exec(message)?.[1];
    return [{ path: [...path.map(decoded), ...(missing === undefined ? [] : [missing])], message: message.trim() }];
  });
}

function decoded(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

export type TextPosition = { line: number; column: number };

/** The arguments in a text, or the first syntax error. `object`: it is JSON, but not an object. */
export function readJsonArguments(
  text: string,
): { ok: true; value: JsonObject } | { ok: false; fault: 'object' } | ({ ok: false; fault: string } & TextPosition) {
  const read = parseJson(text);
  if (read.ok) return isJsonObject(read.value) ? { ok: true, value: read.value } : { ok: false, fault: 'object' };
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  // What the other parser accepts, such as control characters, is an error at the end.
  const fault = first === undefined ? 'InvalidSymbol' : printParseErrorCode(first.error);
  return { ok: false, fault, ...placeAt(text, first?.offset ?? text.length) };
}

/** Where the value of a path is written; for a missing one, the innermost value that exists. */
export function findPosition(text: string, path: readonly string[]): TextPosition {
  const root = parseTree(text);
  for (let length = path.length; root !== undefined && length >= 0; length -= 1) {
    const found = nodeAt(root, path.slice(0, length));
    if (found !== undefined) return placeAt(text, found.offset);
  }
  return { line: 1, column: 1 };
}

/** A step is an index if its parent is an array. */
function nodeAt(root: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = root;
  for (const step of path) {
    node = node === undefined ? undefined : findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step]);
  }
  return node;
}

function placeAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** A copy of a value with another value at a path; undefined removes it. */
export function withValue(
  whole: JsonValue | undefined,
  path: readonly string[],
  value: JsonValue | undefined,
): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    const changed = withValue(whole[Number(step)], rest, value);
    return changed === undefined
      ? whole.filter((_, index) => index !== Number(step))
      : Object.assign([...whole], { [step]: changed });
  }
  const object: JsonObject = isJsonObject(whole) ? whole : {};
  const { [step]: before, ...others } = object;
  const changed = withValue(before, rest, value);
  if (changed === undefined) return others;
  return isJsonObject(whole) && Object.hasOwn(whole, step)
    ? { ...whole, [step]: changed }
    : { ...others, [step]: changed };
}
