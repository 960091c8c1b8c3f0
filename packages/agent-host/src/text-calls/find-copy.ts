import type { JsonObject, JsonValue, TextCallSource, ToolReference } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject } from '@toolyard/protocol';
import { createToolCallTextParser } from '@toolyard/model-runtime/tool-call-text';
import { foldedForms, unescapedForms } from './fold-text.ts';
import type { UntrustedText } from './untrusted-texts.ts';

/** A call that a model wrote as text. */
export type CopiedCall = { name: string; tool: ToolReference; arguments: JsonObject; raw: string };

/** A folded form of a text, and the same without spaces and marks. */
type Form = { folded: string; dense: string };

export type FoldedText = UntrustedText & { forms: readonly Form[] };

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
    others.find(({ text, forms }) => {
      const contains = (passage: Passage): boolean => passage.some((each) => forms.some((form) => occurs(form, each)));
      if (target.raw.some(({ dense }) => forms.some((form) => form.dense.includes(dense)))) return true;
      const isNamed = contains(target.name) || contains(target.toolName);
      return isNamed && (hasArguments(forms, target, contains) || containsCall(text, call));
    }) ?? findSpread(target.raw, others);
  return source && { from: source.from, ...defined({ name: source.name }) };
}

/** The texts with their folded forms, for all calls of an answer. */
export function foldTexts(texts: readonly UntrustedText[]): FoldedText[] {
  return texts.filter(({ text }) => text !== '').map((text) => ({ ...text, forms: listForms(text.text) }));
}

function listForms(text: string): Form[] {
  return foldedForms(text).map((form) => {
    const folded = form.replace(/^[| ]+|[| ]+$/g, '');
    return { folded, dense: folded.replace(/[| ]+/g, '') };
  });
}

/** The forms of a part of a call; one of them is looked up. */
type Passage = readonly Form[];
type FoldedCall = { raw: Passage; name: Passage; toolName: Passage; leaves: Passage[] };

function foldedCall({ name, tool, arguments: args, raw }: CopiedCall): FoldedCall {
  const names = listForms(name);
  return {
    // What is no more than a name is no call.
    raw: listForms(raw).filter(({ dense }) => dense.length >= PASSAGE && names.every((each) => each.dense !== dense)),
    name: names,
    toolName: listForms(tool.name),
    leaves: listLeaves(args)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, MAX_LEAVES)
      .map(listForms),
  };
}

/** Each value with its key, as `key:value`; values in lists alone. */
function listLeaves(args: JsonObject): string[] {
  const leaves: string[] = [];
  const visit = (key: string, value: JsonValue): void => {
    if (Array.isArray(value)) for (const each of value) visit('', each);
    else if (isJsonObject(value)) for (const [inner, each] of Object.entries(value)) visit(inner, each);
    else leaves.push(`${key}:${String(value)}`);
  };
  visit('', args);
  return leaves;
}

function hasArguments(
  forms: readonly Form[],
  { name, toolName, leaves }: FoldedCall,
  contains: (passage: Passage) => boolean,
): boolean {
  if (leaves.length > 0) return leaves.every(contains);
  // A name alone is no call: it is where calls have their name.
  return [...name, ...toolName].some((each) =>
    NAME_KEYS.some((key) =>
      forms.some(({ folded }) => {
        const at = folded.indexOf(`${key}|${each.folded}`);
        return at !== -1 && !isWord(folded[at + key.length + 1 + each.folded.length]);
      }),
    ),
  );
}

const NAME_KEYS = ['NAME', 'FUNCTION', 'TOOL', 'CALL', 'INVOKE', 'ACTION'];

/** True if the passage occurs in the text: a short one not within words, a long one whatever separates its words. */
function occurs(text: Form, passage: Form): boolean {
  if (passage.folded === '') return false;
  if (passage.dense.length >= PASSAGE) return text.dense.includes(passage.dense);
  let seen = 0;
  const { folded } = text;
  for (let at = folded.indexOf(passage.folded); at !== -1; at = folded.indexOf(passage.folded, at + 1)) {
    seen += 1;
    if (!isWord(folded[at - 1]) && !isWord(folded[at + passage.folded.length])) return true;
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
      if (part.type !== 'tool_call' || foldedForms(part.name)[0] !== foldedForms(name)[0]) return false;
      const found = part.arguments;
      if (given.length === 0) return Object.keys(found).length === 0;
      return given.every(([key, value]) => canonicalJson(found[key] ?? null) === value);
    });
  });
}

/** The first of several texts that together contain the passage, in pieces of at least {@link PASSAGE} characters. */
function findSpread(passage: Passage, texts: readonly FoldedText[]): FoldedText | undefined {
  const forms = texts.flatMap((text) => text.forms.map(({ dense }) => ({ text, dense })));
  for (const { dense } of passage) {
    const first = firstCovering(dense, forms);
    if (first) return first;
  }
  return undefined;
}

function firstCovering(passage: string, forms: readonly { text: FoldedText; dense: string }[]): FoldedText | undefined {
  const starts = new Map<string, number[]>();
  for (let at = 0; at + PASSAGE <= passage.length; at += 1) {
    const piece = passage.slice(at, at + PASSAGE);
    const known = starts.get(piece);
    if (known) known.push(at);
    else starts.set(piece, [at]);
  }
  const covered = new Uint8Array(passage.length);
  let first: FoldedText | undefined;
  for (const { text, dense } of forms) {
    for (let at = 0; at + PASSAGE <= dense.length; at += 1) {
      const piece = dense.slice(at, at + PASSAGE);
      const found = starts.get(piece);
      if (!found) continue;
      first ??= text;
      for (const start of found) covered.fill(1, start, start + PASSAGE);
      starts.delete(piece);
    }
  }
  return covered.every((each) => each === 1) ? first : undefined;
}
