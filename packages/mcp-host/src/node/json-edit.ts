import type { Node } from 'jsonc-parser';
import { createScanner, parseTree } from 'jsonc-parser';
import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** `SyntaxKind.CommaToken` of the parser, whose enum is erased when types are. */
const COMMA = 5;

/**
 * Sets one value in handwritten JSON, or removes it (`undefined`), and leaves everything else unchanged: other keys,
 * their order, comments, indentation, line endings. Missing objects on the path are created; another value on the path
 * is replaced by an object.
 *
 * @param text valid JSON with comments and trailing commas; blank stands for `{}`
 */
export function setInJson(text: string, path: readonly string[], value: JsonValue | undefined): string {
  const blank = text.trim() === '';
  const source = blank ? `{}${text.includes('\n') ? detectLineEnd(text) : ''}` : text;
  const root = parseTree(source, [], { allowTrailingComma: true });
  if (root === undefined) return text;
  return setAt(source, root, path, value, 0);
}

function setAt(text: string, node: Node, path: readonly string[], value: JsonValue | undefined, depth: number): string {
  const [key, ...rest] = path;
  if (key === undefined) return value === undefined ? text : replace(text, node, written(text, node, value, depth));
  if (node.type !== 'object') {
    return value === undefined ? text : replace(text, node, written(text, node, nested(path, value), depth));
  }
  const property = findProperty(node, key);
  const child = property?.children?.[1];
  if (property === undefined || child === undefined) {
    return value === undefined ? text : insert(text, node, key, nested(rest, value), depth);
  }
  if (rest.length > 0) return setAt(text, child, rest, value, depth + 1);
  if (value !== undefined) return replace(text, child, written(text, child, value, depth + 1));
  const without = removeProperty(text, node, property);
  // A duplicate key is removed only when both are.
  return findProperty(node, key, property) === undefined ? without : setInJson(without, pathTo(node, key), undefined);
}

function nested(path: readonly string[], value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

/** Of a duplicate key the last one counts, as for every reader of the file. */
function findProperty(object: Node, key: string, but?: Node): Node | undefined {
  return object.children?.findLast((each) => each !== but && each.children?.[0]?.value === key);
}

function pathTo(node: Node, key: string): string[] {
  const keys: string[] = [key];
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    if (at.parent?.type === 'property') keys.unshift(String(at.parent.children?.[0]?.value));
  }
  return keys;
}

function replace(text: string, { offset, length }: Node, by: string): string {
  return text.slice(0, offset) + by + text.slice(offset + length);
}

/** A value as written in place of `node`: on one line if `node` is on one line. */
function written(text: string, node: Node, value: JsonValue, depth: number): string {
  const old = text.slice(node.offset, node.offset + node.length);
  const wasInline = (node.type === 'object' || node.type === 'array') && !old.includes('\n') && old.length > 2;
  if (wasInline || !isLarge(value)) return inline(value);
  return spread(text, value, depth);
}

function isLarge(value: JsonValue): boolean {
  return isJsonObject(value)
    ? Object.keys(value).length > 0
    : Array.isArray(value) && value.some((one) => isLarge(one));
}

function inline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** Objects span several lines; lists of plain values stay on one. */
function spread(text: string, value: JsonValue, depth: number): string {
  const step = detectIndentation(text);
  const lineEnd = detectLineEnd(text);
  const write = (one: JsonValue, level: number): string => {
    if (!isLarge(one)) return inline(one);
    const inner = lineEnd + step.repeat(level + 1);
    const parts = isJsonObject(one)
      ? Object.entries(one).map(([key, each]) => `${JSON.stringify(key)}: ${write(each, level + 1)}`)
      : Array.isArray(one)
        ? one.map((each) => write(each, level + 1))
        : [];
    const [open, close] = isJsonObject(one) ? ['{', '}'] : ['[', ']'];
    return `${open}${inner}${parts.join(`,${inner}`)}${lineEnd}${step.repeat(level)}${close}`;
  };
  return write(value, depth);
}

/** Adds a property after the last one and the comments that follow it. */
function insert(text: string, object: Node, key: string, value: JsonValue, depth: number): string {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const body = text.slice(object.offset + 1, close);
  const name = `${JSON.stringify(key)}: `;
  if (last !== undefined && !body.includes('\n')) {
    const end = last.offset + last.length;
    const comma = commaAfter(text, end, close) === undefined ? ',' : '';
    const rest = text.slice(end, close);
    return `${text.slice(0, end)}${comma}${rest.trimEnd()} ${name}${inline(value)}${/\s*$/.exec(rest)?.[0] ?? ''}${text.slice(close)}`;
  }
  const lineEnd = detectLineEnd(text);
  const step = detectIndentation(text);
  const own = last === undefined ? step.repeat(depth + 1) : indentationAt(text, last.offset);
  const outer = last === undefined ? step.repeat(depth) : own.slice(0, Math.max(0, own.length - step.length));
  const entry = `${own}${name}${spread(text, value, depth + 1)}`;
  // The text before the brace may end with a line comment.
  const kept = text.slice(0, close).trimEnd();
  const ending = text.slice(kept.length, close);
  const lineBreak = ending.lastIndexOf('\n');
  const tail = lineBreak >= 0 ? lineEnd + ending.slice(lineBreak + 1) : lineEnd + outer;
  if (last === undefined) return `${kept}${lineEnd}${entry}${tail}${text.slice(close)}`;
  const end = last.offset + last.length;
  const hasComma = commaAfter(text, end, close) !== undefined;
  const before = hasComma ? kept : `${text.slice(0, end)},${kept.slice(end)}`;
  return `${before}${lineEnd}${entry}${hasComma ? ',' : ''}${tail}${text.slice(close)}`;
}

/** Removes a property and the line it leaves empty; comments stay. */
function removeProperty(text: string, object: Node, property: Node): string {
  const children = object.children ?? [];
  const at = children.indexOf(property);
  const close = object.offset + object.length - 1;
  const end = property.offset + property.length;
  const next = commaAfter(text, end, children[at + 1]?.offset ?? close);
  if (next !== undefined) {
    const between = text.slice(end, next);
    // Between a value and its comma there may be a comment.
    const cut = between.trim() === '' ? [property.offset, next + 1] : undefined;
    if (cut) return withoutLine(text, property.offset, next + 1);
    return withoutLine(`${text.slice(0, next)}${text.slice(next + 1)}`, property.offset, end);
  }
  const before = children[at - 1];
  const comma = before && commaAfter(text, before.offset + before.length, property.offset);
  const shorter = withoutLine(text, property.offset, end);
  return comma === undefined ? shorter : `${shorter.slice(0, comma)}${shorter.slice(comma + 1)}`;
}

/** Removes the range, and the rest of its line if that is blank. */
function withoutLine(text: string, from: number, to: number): string {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const isFirst = text.slice(lineStart, from).trim() === '';
  const following = /^[^\S\r\n]*(\r?\n|$)/.exec(text.slice(to));
  if (isFirst && following) return text.slice(0, lineStart) + text.slice(to + following[0].length);
  const spaces = /^[^\S\r\n]*/.exec(text.slice(to))?.[0].length ?? 0;
  return text.slice(0, from) + text.slice(to + (following ? 0 : spaces));
}

/** The position of the comma after a property, if there is one before `limit`; commas in comments do not count. */
function commaAfter(text: string, from: number, limit: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  const kind: number = scanner.scan();
  return kind === COMMA && scanner.getTokenOffset() < limit ? scanner.getTokenOffset() : undefined;
}

function detectLineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** One level of indentation: that of the first indented line. */
function detectIndentation(text: string): string {
  return /\n([ \t]+)["{[]/.exec(text)?.[1] ?? '  ';
}

function indentationAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}
