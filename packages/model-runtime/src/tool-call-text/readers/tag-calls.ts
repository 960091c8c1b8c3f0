import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { READER_DONE, type TextBlock } from '../core/block.ts';
import { toArguments } from '../core/arguments.ts';
import { readJson } from '../core/json-scanner.ts';
import { parseLenient, setOwn } from '../core/literal.ts';
import type { BlockReader, ReaderVerdict } from '../core/opening.ts';
import {
  hasMore,
  peekBehindBlanks,
  readExactly,
  readMarker,
  readUntil,
  readWhile,
  skipBlanks,
  type TextReading,
} from '../core/reading.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { mayBeJson, typedValue } from '../core/typed-value.ts';
import { GREATER_THAN, LESS_THAN, OPEN_BRACE, OPEN_BRACKET } from '../core/codes.ts';

/** How a family writes calls as tags. */
export type TagStyle = {
  /** The tag that opens a call, with its name captured (`<function=f>`), and its prefix. */
  call: RegExp;
  callStart: string;
  callEnd: string;
  /** The tag that opens an argument, with its name captured, and its prefix. */
  parameter: RegExp;
  parameterStart: string;
  parameterEnd: string;
  /** Markers that close the block around the calls. */
  wrapperEnds: readonly string[];
  /** Markers that frame each call besides its tags. */
  between?: readonly string[];
  /** `newlines`: one newline on each side of a value, and the indentation of tags, are formatting. Default: neither. */
  trim?: 'newlines';
  /** Values are XML: entities are decoded, CDATA is unwrapped. */
  xml?: true;
  /** An attribute of the argument's tag that states whether the value is a string. */
  stringAttribute?: RegExp;
};

/** Maximum length of a tag: a name and a few attributes. */
const MAX_TAG = 400;

/** Reads calls written as nested tags: call, arguments. `fromMarker`: the marker is the call's own tag. */
export function tagCalls(style: TagStyle, fromMarker?: 'from_marker'): BlockReader {
  return function* (block) {
    const { source } = block;
    if (fromMarker !== undefined) source.seek(block.start);
    let afterLast = block.body;
    for (;;) {
      let code = yield* skipBlanks(source);
      while ((yield* readMarker(source, style.between ?? [])) !== null) code = yield* skipBlanks(source);
      const from = source.position;
      const tag = code === LESS_THAN ? yield* readTag(block) : null;
      const name = tag === null ? undefined : style.call.exec(tag)?.[1];
      if (tag !== null && style.wrapperEnds.includes(tag)) return block.finish();
      if (name === undefined) {
        if (block.found === 0)
          return isCutOpening(block, style, from) ? block.cutOff() : { type: 'text', upTo: block.body };
        source.seek(afterLast);
        return READER_DONE;
      }
      yield* readCall(block, style, name.trim(), from);
      afterLast = source.position;
      // Without a wrapper a block has one call; the next call opens its own.
      if (fromMarker !== undefined) return READER_DONE;
    }
  };
}

/** True if the text ends within the tag that opens the first call, which must not be shown. */
function isCutOpening({ source }: TextBlock, style: TagStyle, from: number): boolean {
  const rest = source.ended ? source.textFrom(from, style.callStart.length) : '';
  return rest !== '' && (rest.startsWith(style.callStart) || style.callStart.startsWith(rest));
}

/** Reads a tag from `<` to `>`; null if no tag starts here. */
function* readTag({ source }: TextBlock): TextReading<string | null> {
  const from = source.position;
  const inside = yield* readWhile(source, (code) => code !== GREATER_THAN, MAX_TAG);
  if (inside === null || !(yield* readExactly(source, '>'))) {
    source.seek(from);
    return null;
  }
  return source.text(from, source.position);
}

function* readCall(block: TextBlock, style: TagStyle, name: string, from: number): TextReading<ReaderVerdict> {
  const { source } = block;
  let args: JsonObject = {};
  let problem = name === '' ? 'the call has no name' : null;
  for (;;) {
    const code = yield* skipBlanks(source);
    const at = source.position;
    if (code === OPEN_BRACE) {
      const json = yield* readJson(source);
      const parsed = json.kind === 'whole' ? parseLenient(json.text) : null;
      if (parsed?.ok === true && isJsonObject(parsed.value)) {
        args = parsed.value;
        continue;
      }
      const reason = json.kind === 'cut' ? 'the call is cut off' : 'the arguments are not JSON';
      return yield* skipMalformed(block, style, from, reason);
    }
    const tag = code === LESS_THAN ? yield* readTag(block) : null;
    if (tag === null) {
      const isCut = !(yield* hasMore(source)) || code === LESS_THAN;
      const reason = isCut ? 'the call is cut off' : 'there is text between the arguments';
      return yield* skipMalformed(block, style, from, reason);
    }
    const isWrapperEnd = style.wrapperEnds.includes(tag);
    if (tag === style.callEnd || isWrapperEnd || style.call.test(tag)) {
      if (tag !== style.callEnd) source.seek(at);
      return problem === null ? block.call(name, unwrap(args, block, name)) : block.malformed(problem, from);
    }
    const key = style.parameter.exec(tag)?.[1]?.trim();
    if (key === undefined)
      return yield* skipMalformed(block, style, from, `the tag ${tag.slice(0, 60)} is not allowed in a call`);
    const value = yield* readValue(block, style, { tool: name, key, tag, given: args, tagAt: at });
    if (value === undefined) return block.malformed('an argument is cut off', from);
    if (Object.hasOwn(args, key)) problem = `the argument "${key}" is given twice`;
    setOwn(args, key, value);
  }
}

/** Skips to the end of a malformed call. */
function* skipMalformed(block: TextBlock, style: TagStyle, from: number, reason: string): TextReading<ReaderVerdict> {
  const { source } = block;
  const stop = yield* readUntil(source, [style.callEnd, ...style.wrapperEnds]);
  if (stop !== null && stop.marker !== style.callEnd) source.seek(stop.at);
  return block.malformed(reason, from);
}

/** Some models wrap all arguments in one argument that the tool does not have. */
function unwrap(args: JsonObject, block: TextBlock, tool: string): JsonObject {
  const [entry] = Object.entries(args);
  if (entry === undefined || Object.keys(args).length > 1) return args;
  const [key, value] = entry;
  if ((key !== 'arguments' && key !== 'input') || block.tools.isEmpty || block.tools.mayHave(tool, key)) return args;
  return toArguments(value) ?? args;
}

type Argument = { tool: string; key: string; tag: string; given: JsonObject; tagAt: number };

function* readValue(block: TextBlock, style: TagStyle, argument: Argument): TextReading<JsonValue | undefined> {
  const { source, tools } = block;
  const { tool, key, tag } = argument;
  const isStringText = style.stringAttribute?.exec(tag)?.[1];
  if (style.xml === true && (yield* readExactly(source, '<![CDATA['))) return yield* readCdata(block, style, argument);

  const isJson = isStringText === undefined ? mayBeJson(tools, tool, key) : isStringText === 'false';
  const json = isJson ? yield* readJsonValue(block, style.parameterEnd) : undefined;
  if (json !== undefined) return json;

  const raw = yield* readRaw(block, style, argument);
  if (raw === undefined) return undefined;
  const trimmed = style.trim === 'newlines' ? trimLines(raw, measureIndent(block, argument.tagAt)) : raw;
  const text = style.xml === true ? decodeEntities(trimmed) : trimmed;
  if (isStringText === 'true') return text;
  if (isStringText === 'false') {
    const parsed = parseLenient(text.trim());
    return parsed.ok ? parsed.value : text;
  }
  return typedValue(text, tools, tool, key);
}

/** Reads a value that is a JSON object or array up to its end marker, which may occur inside its strings. */
export function* readJsonValue(block: TextBlock, end: string): TextReading<JsonValue | undefined> {
  const { source } = block;
  const from = source.position;
  const code = yield* peekBehindBlanks(source);
  if (code !== OPEN_BRACE && code !== OPEN_BRACKET) return undefined;
  yield* skipBlanks(source);
  const json = yield* readJson(source);
  if (json.kind === 'whole') {
    yield* skipBlanks(source);
    const parsed = parseLenient(json.text);
    if (parsed.ok && (yield* readExactly(source, end))) return parsed.value;
  }
  source.seek(from);
  return undefined;
}

function* readCdata(block: TextBlock, style: TagStyle, { tool, key }: Argument): TextReading<JsonValue | undefined> {
  const { source, tools } = block;
  const from = source.position;
  const stop = yield* readUntil(source, [']]>']);
  if (stop === null) return undefined;
  const text = source.text(from, stop.at);
  yield* skipBlanks(source);
  return (yield* readExactly(source, style.parameterEnd)) ? typedValue(text, tools, tool, key) : undefined;
}

/**
 * Reads to the end of a value. A call inside it is part of it, with all its arguments. If the end marker is missing,
 * the value ends at an argument at the start of a line that the tool accepts and that was not given yet, or at the end
 * of the call if the block ends right after it and is followed by another block or the end of the answer.
 */
function* readRaw(block: TextBlock, style: TagStyle, argument: Argument): TextReading<string | undefined> {
  const { source } = block;
  const from = source.position;
  let holdsCall = false;
  let nestedCalls = 0;
  for (;;) {
    const stop = yield* readUntil(source, [style.parameterEnd, style.parameterStart, style.callEnd, style.callStart]);
    if (stop === null) return undefined;
    if (stop.marker === style.callStart) holdsCall = true;
    else if (stop.marker === style.parameterEnd) {
      if (nestedCalls === 0) return source.text(from, stop.at);
      nestedCalls -= 1;
    } else if (holdsCall) {
      if (stop.marker === style.parameterStart) nestedCalls += 1;
    } else if (style.trim === 'newlines' && stop.at > from && source.text(stop.at - 1, stop.at) === '\n') {
      const end = source.position;
      if (yield* endsValue(block, style, stop.marker, stop.at, argument)) {
        source.seek(stop.at);
        return source.text(from, stop.at);
      }
      source.seek(end);
    }
  }
}

function toStartTag(endTag: string): string {
  return endTag.replace('/', '');
}

function* endsValue(
  block: TextBlock,
  style: TagStyle,
  marker: string,
  at: number,
  argument: Argument,
): TextReading<boolean> {
  const { source, tools } = block;
  if (marker === style.callEnd) {
    const code = yield* skipBlanks(source);
    const tag = code === LESS_THAN ? yield* readTag(block) : null;
    if (tag === null || !style.wrapperEnds.includes(tag)) return false;
    const next = yield* skipBlanks(source);
    return next === NO_CHARACTER || (yield* readMarker(source, style.wrapperEnds.map(toStartTag))) !== null;
  }
  source.seek(at);
  const tag = yield* readTag(block);
  const next = tag === null ? undefined : style.parameter.exec(tag)?.[1]?.trim();
  if (next === undefined || next === argument.key || Object.hasOwn(argument.given, next)) return false;
  return tools.mayHave(argument.tool, next);
}

/** Indentation of a position's line; 0 if other text precedes it on the line. */
function measureIndent({ source, start }: TextBlock, at: number): number {
  let from = at;
  while (from > start && source.text(from - 1, from) === ' ') from -= 1;
  return from > start && source.text(from - 1, from) === '\n' ? at - from : 0;
}

function trimLines(raw: string, tagIndent: number): string {
  // A value that starts with a bare \n ends with one: an \r before it belongs to the value.
  const text = raw.startsWith('\n')
    ? raw.slice(1).replace(/\n[ \t]*$/, '')
    : raw.replace(/^\r\n/, '').replace(/\r?\n[ \t]*$/, '');
  if (tagIndent === 0) return text;
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents);
  return common > tagIndent && Number.isFinite(common) ? lines.map((line) => line.slice(common)).join('\n') : text;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
