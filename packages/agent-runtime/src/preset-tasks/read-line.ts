import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** Longer than every answer of one line. */
const MAX_ONE_LINE = 1_000;
/** A unit that a text repeats this often is the output of a model that does not stop. */
const MIN_REPEATS = 3;
const MAX_TOKENS_COMPARED = 200;
/** "Sure! Here is a name: ..." */
const PREFACE =
  /^(?:(?:sure|certainly|okay|ok|of course)\b[^:：]{0,30})?\bhere(?:['’]s| is| are)\b[^:：]{0,60}[:：]\s*/i;

/**
 * The text of a short answer: its first line, without label, quotes, Markdown marks and closing punctuation; cut at a
 * word. A line that introduces the next one ("Here is a title:") is skipped. Undefined if nothing is left, or if the
 * line repeats itself.
 */
export function readLine(answer: JsonValue, maxLength: number): string | undefined {
  if (typeof answer !== 'string') return undefined;
  const lines = splitLines(answer);
  const line = lines.find((each) => !isIntroduction(each)) ?? lines[0];
  if (line === undefined) return undefined;
  const bare = readField(line)
    .replaceAll(/<\/?[a-z]\w*>/gi, '')
    .replace(PREFACE, '')
    .replace(/^["']?(?:title|name|description|标题|標題|名称|名稱)["']?\s*[:：]\s*/i, '')
    .replace(/^[^"“「]*[:：]\s*(?=["“「][^"”」]+["”」][.。]?$)/, '')
    .replaceAll(/\*\*|__|`/g, '')
    .replace(/^["'“”‘’「『《]+/, '')
    .replace(/["'“”‘’」』》.。!！,，;；:：]+$/, '')
    .trim();
  return bare === '' || isRepetitive(bare) ? undefined : cutAtWord(bare, maxLength);
}

/** The text in a line that is an object with one text, a form that was not asked for; else the line itself. */
function readField(line: string): string {
  const parsed = line.startsWith('{') ? parseJson(line) : null;
  const values = parsed?.ok === true && isJsonObject(parsed.value) ? Object.values(parsed.value) : [];
  const [value] = values;
  return values.length === 1 && typeof value === 'string' ? value : line;
}

/** True once no further text can change what {@link readLine} reads. */
export function hasWholeLine(text: string): boolean {
  const end = text.lastIndexOf('\n');
  return text.length > MAX_ONE_LINE || splitLines(text.slice(0, end + 1)).some((line) => !isIntroduction(line));
}

/** The JSON string or null that an answer is, bare or fenced; undefined for anything else. */
export function bareValue(text: string): string | null | undefined {
  const parsed = parseJson(text.replaceAll(/^\s*```\w*\s*\n?|\n?\s*```\s*$/g, '').trim());
  return parsed.ok && (typeof parsed.value === 'string' || parsed.value === null) ? parsed.value : undefined;
}

/** A text that is shortened says so: it ends with an ellipsis, after a whole word. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength).toWellFormed();
  const space = cut.lastIndexOf(' ');
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((each) => each.replace(/^[\s#>*-]+/, '').trim())
    .filter((each) => /[\p{Letter}\p{Number}\p{Symbol}]/u.test(each) && !each.startsWith('```'));
}

function isIntroduction(line: string): boolean {
  return /[:：]["'*_`]*$/.test(line);
}

/**
 * True if the whole text, or a phrase of several words within it, is a unit repeated three times or more, whatever is
 * between the repetitions: "I'm a friend, I'm a friend, I'm a".
 */
function isRepetitive(text: string): boolean {
  const tokens = (text.toLowerCase().match(/\p{Script=Han}|[^\P{Letter}\p{Script=Han}]+|\p{Number}+/gu) ?? []).slice(
    0,
    MAX_TOKENS_COMPARED,
  );
  for (let period = 1; period * MIN_REPEATS <= tokens.length; period++) {
    let matching = 0;
    for (let at = period; at < tokens.length; at++) {
      matching = tokens[at] === tokens[at - period] ? matching + 1 : 0;
      const isWhole = matching === tokens.length - period;
      if (matching >= period * (MIN_REPEATS - 1) && (isWhole || period > 1)) return true;
    }
  }
  return false;
}
