import { isJsonObject, type JsonObject, type JsonValue, type ModelParameters } from '@toolyard/protocol';
import type { WireName } from './names.ts';

/** A setting that is one value, the same on every wire but for its name. */
type PlainSetting = Exclude<keyof ModelParameters, 'reasoningEffort' | 'extra'>;

/** Everything of a request that can be left out where a wire, a model or a server does not take it. */
export type SettingName = PlainSetting | 'reasoningEffort' | 'extra' | 'toolChoice' | 'responseFormat';

/** What each wire calls a setting; null where it has none. */
const FIELDS: Record<PlainSetting, Record<WireName, string | null>> = {
  temperature: row('temperature', 'temperature', 'temperature', 'temperature'),
  topP: row('top_p', 'top_p', 'top_p', 'topP'),
  topK: row('top_k', null, 'top_k', 'topK'),
  maxOutputTokens: row('max_tokens', 'max_output_tokens', 'max_tokens', 'maxOutputTokens'),
  presencePenalty: row('presence_penalty', null, null, 'presencePenalty'),
  frequencyPenalty: row('frequency_penalty', null, null, 'frequencyPenalty'),
  stop: row('stop', null, 'stop_sequences', 'stopSequences'),
  seed: row('seed', null, null, 'seed'),
};

function row(
  chat: string | null,
  responses: string | null,
  anthropic: string | null,
  gemini: string | null,
): Record<WireName, string | null> {
  return {
    'openai-chat': chat,
    'openai-responses': responses,
    'anthropic-messages': anthropic,
    'google-gemini': gemini,
  };
}

const NAMES = Object.keys(FIELDS) as PlainSetting[];

const WORDS: Record<SettingName, string> = {
  temperature: 'temperature',
  topP: 'top-p',
  topK: 'top-k',
  maxOutputTokens: 'limit of output tokens',
  presencePenalty: 'presence penalty',
  frequencyPenalty: 'frequency penalty',
  stop: 'stop sequences',
  seed: 'seed',
  reasoningEffort: 'reasoning effort',
  extra: 'extra fields for what Toolyard itself sets',
  toolChoice: 'choice of a tool',
  responseFormat: 'answer format',
};

/** A setting as people read it: `takes no top-k`. */
export function settingInWords(name: SettingName): string {
  return WORDS[name];
}

/** Puts together the settings of one request, and keeps account of what was sent and what was left out. */
export class Settings {
  /** As they stand in the request. */
  readonly fields: JsonObject = {};
  /** Under what word a server would refuse each. */
  readonly sent: { name: SettingName; field: string }[] = [];
  /** What the wire or the model has not. */
  readonly leftOut: SettingName[] = [];
  readonly #wire: WireName;
  readonly #without: ReadonlySet<string>;

  /** `without`: what this server has refused before, for this model. */
  constructor(wire: WireName, without: ReadonlySet<string>) {
    this.#wire = wire;
    this.#without = without;
  }

  /** True where the server refused it before. */
  isRefused(name: SettingName): boolean {
    return this.#without.has(name);
  }

  /** Adds what is one value on every wire; `unfit`: what the model is known not to take. */
  addPlain(parameters: ModelParameters, unfit: readonly SettingName[]): void {
    for (const name of NAMES) {
      const value = parameters[name];
      if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      const field = FIELDS[name][this.#wire];
      if (field === null || unfit.includes(name)) this.leaveOut(name);
      else this.add(name, field, value);
    }
  }

  /** Adds one setting under its field, unless the server refused it before. */
  add(name: SettingName, field: string, value: JsonValue): void {
    if (this.isRefused(name)) return;
    this.fields[field] = value;
    this.sent.push({ name, field });
  }

  /** Notes that a setting somebody made is not sent. */
  leaveOut(name: SettingName): void {
    if (!this.isRefused(name) && !this.leftOut.includes(name)) this.leftOut.push(name);
  }

  /** Puts the owner's own fields over ours, but for those that carry the conversation. */
  addExtra(into: JsonObject, extra: JsonObject | undefined, owned: readonly string[]): void {
    if (extra === undefined || this.isRefused('extra')) return;
    for (const [field, value] of Object.entries(extra)) {
      if (owned.includes(field)) this.leaveOut('extra');
      else into[field] = merge(into[field], value);
      if (!owned.includes(field)) this.sent.push({ name: 'extra', field });
    }
  }
}

function merge(ours: JsonValue | undefined, theirs: JsonValue): JsonValue {
  if (!isJsonObject(ours) || !isJsonObject(theirs)) return theirs;
  const merged = { ...ours };
  for (const [key, value] of Object.entries(theirs)) merged[key] = merge(merged[key], value);
  return merged;
}

/**
 * The setting a server means when it refuses a request: named as the parameter at fault, or in the message itself.
 */
export function rejectedSetting(
  sent: readonly { name: SettingName; field: string }[],
  error: { message: string; param: string },
): SettingName | null {
  const named = sent.find(({ field }) => error.param === field || error.param.startsWith(`${field}.`));
  if (named !== undefined) return named.name;
  const text = error.message.slice(0, 2000);
  // The longest first: `max_tokens` stands within `max_tokens_to_sample`, and words end where letters do.
  return (
    [...sent]
      .sort((a, b) => b.field.length - a.field.length)
      .find(({ field }) => new RegExp(`(?<![\\w-])${escape(field)}(?![\\w-])`).test(text))?.name ?? null
  );
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}
