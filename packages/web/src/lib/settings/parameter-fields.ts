import type { AgentConfiguration, JsonObject, ModelParameters, ReasoningEffort, RunLimits } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

type NumberParameter =
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'maxOutputTokens'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'seed';
type NumberLimit = 'maxTurns';
export type NumberFieldName = NumberParameter | NumberLimit;

/** What a number may be; a step of 1 means whole numbers. */
export type NumberField = { name: NumberFieldName; min: number; max: number; step: number };

/** The parameters that are numbers, in the order in which they are shown. */
export const NUMBER_FIELDS: readonly NumberField[] = [
  { name: 'temperature', min: 0, max: 2, step: 0.1 },
  { name: 'topP', min: 0, max: 1, step: 0.05 },
  { name: 'topK', min: 1, max: 10_000, step: 1 },
  { name: 'maxOutputTokens', min: 1, max: 10_000_000, step: 1 },
  { name: 'presencePenalty', min: -2, max: 2, step: 0.1 },
  { name: 'frequencyPenalty', min: -2, max: 2, step: 0.1 },
  { name: 'seed', min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 },
  { name: 'maxTurns', min: 1, max: 1000, step: 1 },
];

export type ReadNumber = { ok: true; value: number | undefined } | { ok: false; problem: 'number' | 'whole' | 'range' };

/** Reads what was typed; nothing typed means: as the default is. A comma is taken for a point, as many people write it. */
export function readNumber(text: string, field: NumberField): ReadNumber {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: true, value: undefined };
  const value = /^-?\d*[.,]?\d+$|^-?\d+[.,]$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : Number.NaN;
  if (Number.isNaN(value)) return { ok: false, problem: 'number' };
  if (field.step === 1 && !Number.isInteger(value)) return { ok: false, problem: 'whole' };
  if (value < field.min || value > field.max) return { ok: false, problem: 'range' };
  return { ok: true, value };
}

/** One stop sequence a line; `\n` and `\t` stand for what cannot be typed into a line. */
export function readStop(text: string): string[] | undefined {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? undefined : lines.map(unescapeLine);
}

export function writeStop(stop: readonly string[] | undefined): string {
  return (stop ?? []).map(escapeLine).join('\n');
}

function unescapeLine(line: string): string {
  return line.replace(/\\([nt\\])/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : '\\'));
}

function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

export function numberOf(configuration: Layer, name: NumberFieldName): number | undefined {
  return isLimit(name) ? configuration.limits?.[name] : configuration.parameters?.[name];
}

export function isLimit(name: NumberFieldName): name is NumberLimit {
  return name === 'maxTurns';
}

type Layer = {
  parameters?: ModelParameters | undefined;
  limits?: Partial<Omit<RunLimits, 'price'>> | undefined;
};

/** The change of a configuration that sets a number, or gives it back to the layers below. */
export function withNumber(
  configuration: Layer,
  name: NumberFieldName,
  value: number | undefined,
): Pick<AgentConfiguration, 'parameters' | 'limits'> {
  if (isLimit(name)) return { limits: put(configuration.limits ?? {}, name, value) };
  return { parameters: put(configuration.parameters ?? {}, name, value) };
}

/** From not at all upward. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export function withEffort(
  configuration: Layer,
  effort: ReasoningEffort | undefined,
): Pick<AgentConfiguration, 'parameters'> {
  return { parameters: put(configuration.parameters ?? {}, 'reasoningEffort', effort) };
}

export type ReadExtra = { ok: true; value: JsonObject | undefined } | { ok: false };

/** Fields for the request as JSON; nothing typed means none. */
export function readExtra(text: string): ReadExtra {
  if (text.trim() === '') return { ok: true, value: undefined };
  const read = parseJson(text);
  return read.ok && isJsonObject(read.value) ? { ok: true, value: read.value } : { ok: false };
}

export function withExtra(configuration: Layer, extra: JsonObject | undefined): Pick<AgentConfiguration, 'parameters'> {
  return { parameters: put(configuration.parameters ?? {}, 'extra', extra) };
}

export function withStop(configuration: Layer, stop: string[] | undefined): Pick<AgentConfiguration, 'parameters'> {
  return { parameters: put(configuration.parameters ?? {}, 'stop', stop) };
}

function put<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | undefined): T {
  const { [key]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [key]: value }) as T;
}
