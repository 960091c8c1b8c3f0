import { readFileSync } from 'node:fs';
import type { Node, ParseError } from 'jsonc-parser';
import { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { JsonValue } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';

/** A configuration file a person writes. */
export type JsonFile = {
  value: JsonValue;
  /** Names a place in it for a message: `mcp.json, line 3`. One that is not there stands for the nearest above it. */
  placeOf: (path: readonly PropertyKey[]) => string;
  /** The line alone, from 1. */
  lineOf: (path: readonly PropertyKey[]) => number;
  /** The lines of all values of this name: JSON lets one stand there more than once, and the last counts. */
  linesOf: (path: readonly PropertyKey[]) => number[];
};

/**
 * Reads JSON with comments and trailing commas.
 *
 * @throws ToolyardError `bad_config`, naming the file and, for what is no JSON, line and column.
 */
export function readJsonFile(path: string): JsonFile {
  return parseJsonFile(readTextFile(path), path);
}

/** The same for a text that was read already; `name` stands for it in messages. @throws as {@link readJsonFile} does */
export function parseJsonFile(text: string, name: string): JsonFile {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const { line, column } = positionOf(text, first?.offset ?? 0);
    const problem = inWords(first === undefined ? 'ValueExpected' : printParseErrorCode(first.error));
    throw bad(`${name}, line ${line}, column ${column}: ${problem}`, 'Correct the file there; comments are allowed.');
  }
  const lineOf = (at: readonly PropertyKey[]): number => positionOf(text, nearest(root, at).offset).line;
  return {
    value: getNodeValue(root) as JsonValue,
    placeOf: (at) => `${name}, line ${lineOf(at)}`,
    lineOf,
    linesOf: (at) => namesakes(root, at).map(({ offset }) => positionOf(text, offset).line),
  };
}

function namesakes(root: Node, path: readonly PropertyKey[]): Node[] {
  const name = path.at(-1);
  const above = findNodeAtLocation(root, path.slice(0, -1).map(String));
  const properties = above?.type === 'object' ? (above.children ?? []) : [];
  return properties.filter((property) => property.children?.[0]?.value === name);
}

/** What the parser complains of, for somebody who has typed it by hand. */
function inWords(problem: string): string {
  switch (problem) {
    case 'PropertyNameExpected':
      return 'a name in double quotes is missing here.';
    case 'ValueExpected':
      return 'a value is missing here.';
    case 'ColonExpected':
      return 'a ":" is missing before this.';
    case 'CommaExpected':
      return 'a "," is missing before this.';
    case 'CloseBraceExpected':
      return 'a "}" is missing before this.';
    case 'CloseBracketExpected':
      return 'a "]" is missing before this.';
    case 'EndOfFileExpected':
      return 'the file should have ended before this.';
    case 'UnexpectedEndOfString':
      return 'this text has no closing quotation mark.';
    case 'UnexpectedEndOfComment':
      return 'this comment has no end.';
    case 'InvalidNumberFormat':
    case 'UnexpectedEndOfNumber':
      return 'this is no number.';
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
      return 'a backslash stands before something it cannot stand before; write \\\\ for a backslash itself.';
    case 'InvalidCharacter':
      return 'a character that cannot stand in a text; write it as \\n or \\t, say.';
    default:
      return 'this is neither text in double quotes nor a number, true, false or null.';
  }
}

function nearest(root: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length).map((step) => (typeof step === 'number' ? step : String(step)));
    const node = findNodeAtLocation(root, steps);
    // Of a named value the line of its name is meant.
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node;
  }
  return root;
}

/** @throws ToolyardError `bad_config` */
export function readTextFile(path: string): string {
  try {
    // Some editors begin a file with a mark that is no part of it.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw bad(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${String(code)}).`);
  }
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function bad(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}
