import { isJsonObject, type JsonObject, type JsonValue, type ModelParameters, type WireName } from '@toolyard/protocol';
import type { ProviderFault } from './provider-error.ts';

/** A setting with one value, which differs between wires only by name. */
type PlainSetting = Exclude<keyof ModelParameters, 'reasoningEffort' | 'extra'>;

/** Every part of a request that can be omitted if a wire, model or server does not support it. */
export type SettingName = PlainSetting | 'reasoningEffort' | 'extra' | 'toolChoice' | 'responseFormat' | 'user';

/** Field name of a setting per wire; null if unsupported. */
const FIELDS: Record<PlainSetting, Record<WireName, string | null>> = {
  temperature: row('temperature', 'temperature', 'temperature', 'temperature', 'temperature'),
  topP: row('top_p', 'top_p', 'top_p', 'topP', 'topP'),
  topK: row('top_k', null, 'top_k', 'topK', null),
  maxOutputTokens: row('max_tokens', 'max_output_tokens', 'max_tokens', 'maxOutputTokens', 'maxTokens'),
  presencePenalty: row('presence_penalty', null, null, 'presencePenalty', null),
  frequencyPenalty: row('frequency_penalty', null, null, 'frequencyPenalty', null),
  stop: row('stop', null, 'stop_sequences', 'stopSequences', 'stopSequences'),
  seed: row('seed', null, null, 'seed', null),
};

function row(
  chat: string | null,
  responses: string | null,
  anthropic: string | null,
  gemini: string | null,
  converse: string | null,
): Record<WireName, string | null> {
  return {
    'openai-chat': chat,
    'openai-responses': responses,
    'anthropic-messages': anthropic,
    'google-gemini': gemini,
    'bedrock-converse': converse,
  };
}

const NAMES = Object.keys(FIELDS) as PlainSetting[];

const WORDS: Record<SettingName, string> = {
  temperature: 'temperature',
  topP: 'top-p',
  topK: 'top-k',
  maxOutputTokens: 'output token limit',
  presencePenalty: 'presence penalty',
  frequencyPenalty: 'frequency penalty',
  stop: 'stop sequences',
  seed: 'seed',
  reasoningEffort: 'reasoning effort',
  // Only those of the conversation are left out without a rejection.
  extra: 'extra fields that Toolyard itself sets',
  toolChoice: 'tool choice',
  responseFormat: 'answer format',
  user: 'user id',
};

/** The name of a setting in messages: `does not support top-k`. */
export function settingInWords(name: SettingName): string {
  return WORDS[name];
}

/** A setting in a request, with the field name a server would use in a rejection. */
export type SentSetting = { name: SettingName; field: string };

/** The feature of a request that a setting is. Extra fields are separate features: a server may reject one of them. */
export function getFeature({ name, field }: SentSetting): string {
  return name === 'extra' ? `extra:${field}` : name;
}

/** The name of a sent setting in messages: `rejected the extra field "grammar"`. */
export function sentInWords({ name, field }: SentSetting): string {
  return name === 'extra' ? `extra field "${field}"` : WORDS[name];
}

/** Builds the settings of one request, and records what was sent and left out. */
export class Settings {
  /** The fields of the request. */
  readonly fields: JsonObject = {};
  /** The name a server would use to reject each. */
  readonly sent: SentSetting[] = [];
  /** Settings the wire or the model does not support. */
  readonly omittedSettings: SettingName[] = [];
  readonly #wire: WireName;
  readonly #without: ReadonlySet<string>;

  /** `without`: what this server has rejected before, for this model. */
  constructor(wire: WireName, without: ReadonlySet<string>) {
    this.#wire = wire;
    this.#without = without;
  }

  /** True if the server rejected it before. */
  isRefused(name: SettingName): boolean {
    return this.#without.has(name);
  }

  /** Adds the settings with one value; `unfit`: settings the model is known to reject. */
  addPlain(parameters: ModelParameters, unsupported: readonly SettingName[]): void {
    for (const name of NAMES) {
      const value = parameters[name];
      if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      const field = FIELDS[name][this.#wire];
      if (field === null || unsupported.includes(name)) this.leaveOut(name);
      else this.add(name, field, value);
    }
  }

  /** Adds one setting under its field, unless the server rejected it before. */
  add(name: SettingName, field: string, value: JsonValue): void {
    if (this.isRefused(name)) return;
    this.fields[field] = value;
    this.sent.push({ name, field });
  }

  /** Adds a setting that is a member of a field, unless the server rejected it before. `fields`: its names in rejections. */
  addInside(into: JsonObject, member: string, value: JsonValue, name: SettingName, ...fields: string[]): void {
    if (this.isRefused(name)) return;
    into[member] = value;
    for (const field of fields) this.sent.push({ name, field });
  }

  /** Records that a user's setting is not sent. */
  leaveOut(name: SettingName): void {
    if (!this.isRefused(name) && !this.omittedSettings.includes(name)) this.omittedSettings.push(name);
  }

  /** A request with these settings. */
  toOutgoing(path: string, body: string): { path: string; body: string } & Pick<Settings, 'sent' | 'omittedSettings'> {
    return { path, body, sent: this.sent, omittedSettings: this.omittedSettings };
  }

  /** Adds the user's extra fields, which override ours except those of the conversation. */
  addExtra(into: JsonObject, extra: JsonObject | undefined, reserved: readonly string[]): void {
    for (const [field, value] of Object.entries(extra ?? {})) {
      const setting: SentSetting = { name: 'extra', field };
      if (reserved.includes(field)) this.leaveOut('extra');
      else if (!this.#without.has(getFeature(setting))) {
        into[field] = merge(into[field], value);
        this.sent.push(setting);
      }
    }
  }
}

function merge(base: JsonValue | undefined, extra: JsonValue): JsonValue {
  if (!isJsonObject(base) || !isJsonObject(extra)) return extra;
  const merged = { ...base };
  for (const [key, value] of Object.entries(extra)) merged[key] = merge(merged[key], value);
  return merged;
}

/** Further names of settings in rejections: fields of other servers, and words. */
const OTHER_NAMES: Partial<Record<SettingName, readonly string[]>> = {
  maxOutputTokens: ['max_completion_tokens', 'max_new_tokens', 'num_predict'],
  reasoningEffort: [
    ...['reasoning_effort', 'reasoning', 'effort', 'thinking', 'thinking_budget', 'thinking_level', 'thinking_config'],
    ...['enable_thinking', 'chat_template_kwargs'],
  ],
  responseFormat: [
    ...['response_format', 'response_mime_type', 'response_schema', 'response_json_schema', 'json_schema'],
    ...['json_object', 'json_mode', 'structured_output', 'output_config', 'output_format', 'text.format'],
  ],
};

/** Fields of the conversation: what is wrong in them is no setting. */
const CONTENT_FIELD = /^(messages|contents?|input|system|tools?|functions?|model)(?![a-zA-Z_])/;

/**
 * The setting that an error names.
 *
 * Rule: a setting is named by its field in any API format, however its words are joined: `top_k`, `topK`, `top-k`, `Top K`.
 * The field that was sent counts first, and alone without `anySpelling`: the words of schemas are ordinary words.
 */
export function namedSetting(
  sent: readonly SentSetting[],
  { param, message }: Pick<ProviderFault, 'param' | 'message'>,
  anySpelling = true,
): SentSetting | null {
  const own = sent.find(({ field }) => param === field || param.startsWith(`${field}.`));
  if (own !== undefined || CONTENT_FIELD.test(param)) return own ?? null;
  // Longest name first: `max_tokens` is part of `max_tokens_to_sample`.
  const ordered = [...sent].sort((a, b) => b.field.length - a.field.length);
  for (const text of [param, message.slice(0, 2000)]) {
    const found =
      ordered.find(({ field }) => asField(field).test(text)) ??
      (anySpelling ? ordered : []).find((setting) => listNames(setting).some((each) => inAnySpelling(each).test(text)));
    if (found !== undefined) return found;
  }
  return null;
}

function listNames({ name, field }: SentSetting): string[] {
  if (name === 'extra') return [field];
  const fields = isPlain(name) ? Object.values(FIELDS[name]).filter((each) => each !== null) : [];
  return [field, ...fields, ...(OTHER_NAMES[name] ?? [])];
}

function isPlain(name: SettingName): name is PlainSetting {
  return name in FIELDS;
}

function asField(field: string): RegExp {
  return new RegExp(`(?<![\\w-])${escape(field)}(?![\\w-])`);
}

function inAnySpelling(name: string): RegExp {
  const words = name.split(/[^a-zA-Z0-9]+|(?<=[a-z])(?=[A-Z])/).map(escape);
  const singular = words.join('[\\s_.-]?').replace(/s$/, '');
  return new RegExp(`(?<![\\w-])${singular}s?(?![\\w-])`, 'i');
}

function escape(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}
