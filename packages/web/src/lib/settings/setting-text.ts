import type { Setting } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

type TextProblem = 'number' | 'whole' | 'range' | 'json';
export type ReadText = { ok: true; value: unknown } | { ok: false; problem: TextProblem };

/** Reads what is typed into the field of a setting. An empty field has the value undefined: the default applies. */
export function readText(setting: Setting, text: string): ReadText {
  if (setting.kind === 'text') return { ok: true, value: text === '' ? undefined : text };
  if (setting.kind === 'list') return { ok: true, value: readLines(text) };
  const trimmed = text.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  if (setting.kind === 'number') return readNumber(setting, trimmed);
  const read = parseJson(trimmed);
  return read.ok && isJsonObject(read.value) ? { ok: true, value: read.value } : { ok: false, problem: 'json' };
}

export function writeText(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((line) => escapeLine(String(line))).join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** What the form accepts: the range of the setting, restricted further by the form. */
export function formRange(setting: Setting): { min: number; max: number } {
  const own = setting.kind === 'number' ? setting : {};
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = { ...own, ...setting.form };
  return { min, max };
}

/** Accepts a decimal comma, which many locales use. */
function readNumber(setting: Setting & { kind: 'number' }, text: string): ReadText {
  const isNumber = /^-?\d*[.,]?\d+$|^-?\d+[.,]$/.test(text);
  if (!isNumber) return { ok: false, problem: 'number' };
  const value = Number(text.replace(',', '.'));
  const { min, max } = formRange(setting);
  if (setting.whole === true && !Number.isInteger(value)) return { ok: false, problem: 'whole' };
  const isSafe = setting.whole !== true || Number.isSafeInteger(value);
  return isSafe && value >= min && value <= max ? { ok: true, value } : { ok: false, problem: 'range' };
}

/** One item per line; `\n` and `\t` stand for characters that a line cannot contain. */
function readLines(text: string): string[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? undefined : lines.map(unescapeLine);
}

function unescapeLine(line: string): string {
  return line.replace(/\\([nt\\])/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : '\\'));
}

function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
