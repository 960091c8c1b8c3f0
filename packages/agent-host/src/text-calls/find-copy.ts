import type { JsonObject, JsonValue, TextCallSource, ToolReference } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject } from '@toolyard/protocol';
import { createToolCallTextParser } from '@toolyard/model-runtime/tool-call-text';
import { foldText, unescapedForms } from './fold-text.ts';
import type { UntrustedText } from './untrusted-texts.ts';

/** A call that a model wrote as text. */
export type CopiedCall = { name: string; tool: ToolReference; arguments: JsonObject; raw: string };

export type FoldedText = UntrustedText & { folded: string };

/** Length of the passages that are looked up, and of the shortest that counts when a call is spread over texts. */
const PASSAGE = 12;
/** Arguments looked up one by one, the longest first: the cost stays linear in the texts. */
const MAX_LEAVES = 64;
/** After this many occurrences within words, one counts. */
const MAX_OCCURRENCES = 1_000;

/**
 * Finds where a call was copied from: a text that contains the call as it was written, or its name and each of its
 * arguments with its key, or a call in any other format of which it has the name and arguments; or several texts that
 * together contain it as it was written.
 */
export function findCopy(call: CopiedCall, texts: readonly FoldedText[]): TextCallSource | undefined {
  const target = foldedCall(call);
  const others = texts.filter(({ aboutServer }) => aboutServer === undefined || aboutServer !== call.tool.serverId);
  const source =
    others.find(({ text, folded }) => {
      if (target.raw !== target.name && target.raw.length >= PASSAGE && folded.includes(target.raw)) return true;
      const isNamed = folded.includes(target.name) || occurs(folded, target.toolName);
      return isNamed && (hasArguments(folded, target) || containsCall(text, call));
    }) ?? (target.raw === target.name ? undefined : findSpread(target.raw, others));
  return source && { from: source.from, ...defined({ name: source.name }) };
}

/** The texts with their folded form, for all calls of an answer. */
export function foldTexts(texts: readonly UntrustedText[]): FoldedText[] {
  return texts.filter(({ text }) => text !== '').map((text) => ({ ...text, folded: foldText(text.text) }));
}

type FoldedCall = { raw: string; name: string; toolName: string; leaves: string[] };

function foldedCall({ name, tool, arguments: args, raw }: CopiedCall): FoldedCall {
  const leaves = leavesOf(args).map((leaf) => trimmed(foldText(leaf)));
  return {
    raw: trimmed(foldText(raw)),
    name: trimmed(foldText(name)),
    toolName: trimmed(foldText(tool.name)),
    leaves: leaves
      .filter((leaf) => leaf !== '')
      .toSorted((one, other) => other.length - one.length)
      .slice(0, MAX_LEAVES),
  };
}

function trimmed(folded: string): string {
  return folded.replace(/^[| ]+|[| ]+$/g, '');
}

/** Each value with its key, as `key:value`; values in lists alone. */
function leavesOf(args: JsonObject): string[] {
  const leaves: string[] = [];
  const visit = (key: string, value: JsonValue): void => {
    if (Array.isArray(value)) for (const each of value) visit('', each);
    else if (isJsonObject(value)) for (const [inner, each] of Object.entries(value)) visit(inner, each);
    else leaves.push(`${key}:${String(value)}`);
  };
  visit('', args);
  return leaves;
}

function hasArguments(folded: string, { name, toolName, leaves }: FoldedCall): boolean {
  if (leaves.length > 0) return leaves.every((leaf) => occurs(folded, leaf));
  // A name alone is no call: it is where calls have their name.
  return [name, toolName].some((each) =>
    NAME_KEYS.some((key) => {
      const at = folded.indexOf(`${key}|${each}`);
      return at !== -1 && !isWord(folded[at + key.length + 1 + each.length]);
    }),
  );
}

const NAME_KEYS = ['name', 'function', 'tool', 'call', 'invoke', 'action'];

/** True if the passage occurs in the text, not within words. */
function occurs(folded: string, passage: string): boolean {
  if (passage === '') return false;
  let seen = 0;
  for (let at = folded.indexOf(passage); at !== -1; at = folded.indexOf(passage, at + 1)) {
    seen += 1;
    if (!isWord(folded[at - 1]) && !isWord(folded[at + passage.length])) return true;
    if (seen === MAX_OCCURRENCES) return true;
  }
  return false;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && character !== '|' && character !== ' ';
}

/** True if the text contains a call of the tool, in any format, with these arguments or more. */
function containsCall(text: string, { name, arguments: args }: CopiedCall): boolean {
  const given = Object.entries(args).map(([key, value]) => [key, canonicalJson(value)] as const);
  return unescapedForms(text).some((form) => {
    const dense = given.length === 0 ? form.replace(/\s+/g, '') : '';
    if (dense.includes(`${name}()`) || dense.includes(`${name}{}`)) return true;
    const parser = createToolCallTextParser({});
    return [...parser.push(form), ...parser.end()].some((part) => {
      if (part.type !== 'tool_call' || foldText(part.name) !== foldText(name)) return false;
      const found = part.arguments;
      if (given.length === 0) return Object.keys(found).length === 0;
      return given.every(([key, value]) => canonicalJson(found[key] ?? null) === value);
    });
  });
}

/** The first of several texts that together contain the passage, in pieces of at least {@link PASSAGE} characters. */
function findSpread(passage: string, texts: readonly FoldedText[]): FoldedText | undefined {
  if (passage.length < PASSAGE) return undefined;
  const starts = new Map<string, number[]>();
  for (let at = 0; at + PASSAGE <= passage.length; at += 1) {
    const piece = passage.slice(at, at + PASSAGE);
    const known = starts.get(piece);
    if (known) known.push(at);
    else starts.set(piece, [at]);
  }
  const covered = new Uint8Array(passage.length);
  let first: FoldedText | undefined;
  for (const text of texts) {
    for (let at = 0; at + PASSAGE <= text.folded.length; at += 1) {
      const found = starts.get(text.folded.slice(at, at + PASSAGE));
      if (!found) continue;
      first ??= text;
      for (const start of found) covered.fill(1, start, start + PASSAGE);
      starts.delete(text.folded.slice(at, at + PASSAGE));
    }
  }
  return covered.every((each) => each === 1) ? first : undefined;
}
