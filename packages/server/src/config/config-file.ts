import { existsSync } from 'node:fs';
import type { JsonFile } from '@toolyard/mcp-host/node';
import { readJsonFile } from '@toolyard/mcp-host/node';
import type { AgentConfiguration, JsonObject, WireName } from '@toolyard/protocol';
import { defined, isJsonObject, WIRES } from '@toolyard/protocol';
import { agentConfiguration, price, webhookEvents, webhookSecret, webhookUrl } from '@toolyard/protocol/schemas';
import { z } from 'zod';
import { createConfigError } from '../errors.ts';
import { issueSentence, plainZodError } from '../http/transport/plain-zod-error.ts';
import type { FileEmail } from '../email/email-settings.ts';
import type { StatedModels } from '../models/model-details.ts';
import type { FileTelemetry } from '../telemetry/telemetry-settings.ts';
import type { FileWebhook } from '../webhooks/webhooks.ts';
import { checkBaseUrl } from './base-url.ts';
import type { FileFlags, FlagsByConfigKey, ServeFlag } from './serve-flags.ts';
import { serveFlags } from './serve-flags.ts';
import { checkAllowedHost } from './server-options.ts';

/** A model provider of the configuration file, with environment variables filled in. */
export type FileProvider = {
  id: string;
  label?: string;
  /** Absent: the base URL of the known provider. */
  baseUrl?: string;
  apiKey?: string;
  wire?: WireName;
  known?: string;
  modelNames?: readonly string[];
  /** Its place in the file. */
  place: string;
};

export type ConfigFile = {
  providers: readonly FileProvider[];
  defaults: AgentConfiguration;
  /** The flags of `toolyard serve` that the file sets. */
  flags: FileFlags;
  /** The webhook; null if not set. */
  webhook: FileWebhook | null;
  /** Settings of e-mail; null if the file has none. */
  email: FileEmail | null;
  /** Settings of tracing; null if the file has none. */
  telemetry: FileTelemetry | null;
  /** The operator's facts about models, by `<provider>/<model>`. */
  models: StatedModels;
};

/** Form of provider ids, which are used in URLs and file names. */
export const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Schema of the flags that this file can set as well. */
function flagFields(): { [Key in keyof FlagsByConfigKey]: z.ZodExactOptional<z.ZodType<FlagsByConfigKey[Key]>> } {
  const fields = serveFlags().flatMap(([, flag]) =>
    flag.configKey === undefined ? [] : [[flag.configKey, flagSchema(flag).exactOptional()]],
  );
  // Type and entries come from the same table.
  return Object.fromEntries(fields) as ReturnType<typeof flagFields>;
}

function flagSchema(flag: ServeFlag): z.ZodType {
  switch (flag.kind) {
    case 'boolean':
      return z.boolean();
    case 'text':
      return z.string();
    case 'integer':
      return z.int().min(flag.min).max(flag.max);
    case 'enum':
      return z.enum(flag.options);
    case 'list':
      return z.array(z.string());
    case 'json':
    case 'json-file':
      return z.custom<JsonObject>(isJsonObject, 'expected an object');
  }
}

const schema = z.strictObject({
  providers: z
    .array(
      z.strictObject({
        id: z
          .string()
          .regex(PROVIDER_ID, 'an id has letters, digits, dots, dashes and underscores only')
          .refine((id) => id !== 'demo', '"demo" is the built-in provider; choose another id'),
        label: z.string().min(1).exactOptional(),
        baseUrl: z.string().exactOptional(),
        apiKey: z.string().exactOptional(),
        wire: z.enum(WIRES).exactOptional(),
        known: z.string().exactOptional(),
        models: z.array(z.string().min(1)).exactOptional(),
      }),
    )
    .default([]),
  defaults: agentConfiguration.default({}),
  models: z
    .record(
      z.string(),
      z.strictObject({ price: price.nullable().exactOptional(), contextWindow: z.int().positive().exactOptional() }),
    )
    .default({}),
  ...flagFields(),
  telemetry: z
    .strictObject({
      endpoint: webhookUrl,
      headers: z.record(z.string(), z.string()).exactOptional(),
      content: z.boolean().exactOptional(),
    })
    .exactOptional(),
  email: z
    .strictObject({
      smtpUrl: z.string().exactOptional(),
      from: z.string().exactOptional(),
      to: z.array(z.string()).min(1).max(20).exactOptional(),
      events: webhookEvents.exactOptional(),
      pageUrl: z.string().exactOptional(),
    })
    .exactOptional(),
  webhook: z
    .strictObject({ url: webhookUrl, secret: z.string(), events: webhookEvents.default(['interrupt.opened']) })
    .exactOptional(),
});

/**
 * Reads the configuration file of a data folder: JSON with comments and `${env:NAME}` in keys. A missing file is an
 * empty configuration.
 *
 * @throws ToolyardError `bad_config` with file, line, problem and solution
 */
export function readConfigFile(path: string, env: Readonly<Record<string, string | undefined>>): ConfigFile {
  if (!existsSync(path))
    return { providers: [], defaults: {}, flags: {}, webhook: null, email: null, telemetry: null, models: {} };
  const file = readJsonFile(path);
  const { providers, defaults, webhook, email, telemetry, models: stated, ...flags } = checked(file);
  for (const [at, host] of (flags.allowHosts ?? []).entries())
    checkAllowedHost(host, file.formatLocation(['allowHosts', at]));
  const seen = new Set<string>();
  return {
    providers: providers.map(({ id, label, baseUrl, apiKey, wire, known, models }, at) => {
      const place = (...rest: PropertyKey[]): string => file.formatLocation(['providers', at, ...rest]);
      if (seen.has(id))
        throw createConfigError(
          `${place('id')}: the provider id "${id}" is used twice.`,
          'Give each provider its own id.',
        );
      seen.add(id);
      if (baseUrl === undefined && known === undefined) {
        throw createConfigError(
          `${place()}: the provider "${id}" has no base URL.`,
          'Add "baseUrl", or "known" with the name of a known provider.',
        );
      }
      const url =
        baseUrl === undefined
          ? undefined
          : checkBaseUrl(baseUrl, { code: 'bad_config', where: `${place('baseUrl')}: ` });
      const key = apiKey === undefined ? undefined : fill(apiKey, env, place('apiKey'));
      return {
        id,
        place: place(),
        ...defined({ label, baseUrl: url, apiKey: key, wire, known, modelNames: models }),
      };
    }),
    defaults,
    flags: toFlags(flags),
    webhook: webhook === undefined ? null : { ...webhook, secret: readWebhookSecret(webhook.secret, env, file) },
    email: email === undefined ? null : { ...email, ...defined({ smtpUrl: readSmtpUrl(email.smtpUrl, env, file) }) },
    telemetry: telemetry === undefined ? null : { ...telemetry, ...filledHeaders(telemetry.headers, env, file) },
    models: stated,
  };
}

/** Maps keys of the file to option names, as the table pairs them. */
function toFlags(byKey: Partial<FlagsByConfigKey>): FileFlags {
  const values: Readonly<Record<string, unknown>> = byKey;
  const flags = serveFlags().flatMap(([name, { configKey = '' }]) =>
    values[configKey] === undefined ? [] : [[name, values[configKey]]],
  );
  return Object.fromEntries(flags) as FileFlags;
}

function filledHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  env: Readonly<Record<string, string | undefined>>,
  file: JsonFile,
): { headers?: Record<string, string> } {
  if (headers === undefined) return {};
  const filled = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    fill(value, env, file.formatLocation(['telemetry', 'headers', name])) ?? '',
  ]);
  return { headers: Object.fromEntries(filled) };
}

function readWebhookSecret(written: string, env: Readonly<Record<string, string | undefined>>, file: JsonFile): string {
  const place = file.formatLocation(['webhook', 'secret']);
  const secret = webhookSecret.safeParse(fill(written, env, place));
  if (secret.success) return secret.data;
  throw createConfigError(`${place}: the secret of the webhook is too short.`, 'Use at least 16 random characters.');
}

function readSmtpUrl(
  written: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  file: JsonFile,
): string | undefined {
  return written === undefined ? undefined : fill(written, env, file.formatLocation(['email', 'smtpUrl']));
}

function checked(file: JsonFile): z.infer<typeof schema> {
  const { value } = file;
  const read = schema.safeParse(value, { error: plainZodError });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue === undefined)
    throw createConfigError(`${file.formatLocation([])}: the file is not a valid configuration.`, 'Correct the file.');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = Object.keys(knownAt(issue.path) ?? {});
    throw createConfigError(
      `${file.formatLocation([...issue.path, key])}: unknown setting "${[...issue.path, key].join('.')}".`,
      known.length > 0 ? `Known settings: ${known.join(', ')}.` : 'Check its spelling, or remove it.',
    );
  }
  const subject = issue.path.length === 0 ? 'the file' : `"${issue.path.join('.')}"`;
  throw createConfigError(
    `${file.formatLocation(issue.path)}: ${issueSentence(subject, issue.message)}.`,
    'Correct this value.',
  );
}

/** The settings at a path, for the hint about a misspelled one. */
function knownAt(path: readonly PropertyKey[]): object | undefined {
  if (path.length === 0) return schema.shape;
  if (path.length === 1 && path[0] === 'defaults') return agentConfiguration.shape;
  return undefined;
}

function fill(text: string, env: Readonly<Record<string, string | undefined>>, place: string): string | undefined {
  const filled = text.replace(/\$\{env:([^}]+)\}/g, (_whole, name: string) => {
    const value = env[name];
    if (value === undefined) {
      throw createConfigError(
        `${place}: \${env:${name}} is used, but the environment variable ${name} is not set.`,
        `Set ${name}, or remove the reference.`,
      );
    }
    return value;
  });
  return filled.trim() === '' ? undefined : filled.trim();
}
