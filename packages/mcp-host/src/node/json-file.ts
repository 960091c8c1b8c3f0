import { readFileSync } from 'node:fs';
import type { Node, ParseError } from 'jsonc-parser';
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { JsonValue } from '@toolyard/protocol';
import { createConfigError } from '../values/config-error.ts';

/** A handwritten configuration file. */
export type JsonFile = {
  value: JsonValue;
  /** Names a place in it for a message: `mcp.json, line 3`. For a missing path the nearest ancestor is used. */
  formatLocation: (path: readonly PropertyKey[]) => string;
  /** The line number, from 1. */
  getLine: (path: readonly PropertyKey[]) => number;
  /** The lines of all values with this name: JSON allows duplicate keys, and the last one counts. */
  listLines: (path: readonly PropertyKey[]) => number[];
};

/**
 * Reads JSON with comments and trailing commas.
 *
 * @throws ToolyardError `bad_config`, naming the file and, for invalid JSON, line and column
 * @example
 * const { value } = readJsonFile('mcp.json');
 */
export function readJsonFile(path: string): JsonFile {
  return parseJsonFile(readTextFile(path), path);
}

/** The same for text in memory; `name` stands for the file in messages. @throws as {@link readJsonFile} does */
export function parseJsonFile(text: string, name: string): JsonFile {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const { line, column } = toPosition(text, first?.offset ?? 0);
    const problem = inWords(first === undefined ? 'ValueExpected' : printParseErrorCode(first.error));
    throw createConfigError(
      `${name}, line ${line}, column ${column}: ${problem}`,
      'Correct the file; comments are allowed.',
    );
  }
  const getLine = (at: readonly PropertyKey[]): number => toPosition(text, nearest(root, at).offset).line;
  return {
    value: getNodeValue(root) as JsonValue,
    formatLocation: (at) => `${name}, line ${getLine(at)}`,
    getLine,
    listLines: (at) => namesakes(root, at).map(({ offset }) => toPosition(text, offset).line),
  };
}

function namesakes(root: Node, path: readonly PropertyKey[]): Node[] {
  const name = path.at(-1);
  const above = findNodeAtLocation(root, path.slice(0, -1).map(String));
  const properties = above?.type === 'object' ? (above.children ?? []) : [];
  return properties.filter((property) => property.children?.[0]?.value === name);
}

/** The parser's error in plain words. */
function inWords(problem: string): string {
  switch (problem) {
    case 'PropertyNameExpected':
      return 'expected a name in double quotes.';
    case 'ValueExpected':
      return 'expected a value.';
    case 'ColonExpected':
      return 'expected ":".';
    case 'CommaExpected':
      return 'expected ",".';
    case 'CloseBraceExpected':
      return 'expected "}".';
    case 'CloseBracketExpected':
      return 'expected "]".';
    case 'EndOfFileExpected':
      return 'unexpected text after the end of the JSON value.';
    case 'UnexpectedEndOfString':
      return 'this string has no closing quotation mark.';
    case 'UnexpectedEndOfComment':
      return 'this comment is not closed.';
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return 'invalid number.';
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
      return 'invalid escape sequence; write \\\\ for a backslash.';
    case 'InvalidCharacter':
      return 'invalid character in a string; write \\n for a line break or \\t for a tab.';
    default:
      return 'invalid value: expected a string in double quotes, a number, true, false, null, an object or an array.';
  }
}

function nearest(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length).map((step) => (typeof step === 'number' ? step : String(step)));
    const node = findNodeAtLocation(root, steps);
    // For a named value, the line of its name.
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node;
  }
  return root;
}

/** @throws ToolyardError `bad_config` */
export function readTextFile(path: string): string {
  try {
    // Some editors write a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw createConfigError(
      code === 'ENOENT' ? `The file ${path} does not exist.` : `${path} cannot be read (${String(code)}).`,
    );
  }
}

function toPosition(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
