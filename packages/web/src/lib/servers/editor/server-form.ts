import type { AddMcpServer, McpSecretValue, McpTransport } from '@toolyard/protocol';
import { defined, MAX_CONCURRENT_CALLS } from '@toolyard/protocol';
import { sandboxFields, toSandbox } from './sandbox-fields.ts';
import { completeAddress } from '../../complete-address.ts';
import { listGaps } from './gaps.ts';
import { detectTransportType } from './read-snippet.ts';
import type { ServerLimits } from './snippet-limits.ts';

/** One header or variable. `kept`: its value is on the server and stays unless another is typed. */
export type FormRow = { key: number; name: string; value: string; kept: boolean };
export type ArgumentRow = { key: number; value: string };

/**
 * Why a row is invalid: its name is missing, malformed or a duplicate, or its value must be entered again or still has a
 * placeholder.
 */
export type RowProblem = 'name' | 'invalidCharacters' | 'duplicate' | 'reenter' | 'gap';
export type FormProblems = {
  id?: 'missing' | 'invalidCharacters' | 'taken';
  command?: 'missing' | 'gap';
  cwd?: 'gap';
  url?: 'missing' | 'invalid' | 'gap';
  manifest?: 'missing' | 'invalid' | 'gap';
  gateway?: 'invalid' | 'gap';
  hosted?: 'missing';
  apiKey?: 'missing' | 'reenter' | 'gap';
  callTimeout?: 'seconds';
  connectTimeout?: 'seconds';
  maxCalls?: 'count';
  /** By the key of the row; of arguments as well. */
  rows: ReadonlyMap<number, RowProblem>;
};

let keys = 0;
export function argumentRow(value = ''): ArgumentRow {
  return { key: (keys += 1), value };
}
export function formRow(name = '', value: McpSecretValue = ''): FormRow {
  const known = typeof value === 'string';
  return { key: (keys += 1), name, value: known ? value : '', kept: !known };
}

/** The values of an empty form. Every kind of server keeps its values when the user switches between them. */
export const EMPTY = {
  id: '',
  kind: 'local' as 'local' | 'remote' | 'hosted' | 'plugin',
  command: '',
  args: [] as ArgumentRow[],
  cwd: '',
  envFile: '',
  env: [] as FormRow[],
  ...sandboxFields(true),
  url: '',
  /** The URL supports HTTP+SSE only. */
  useSse: false,
  headers: [] as FormRow[],
  /** Of a hosted server: its name at the service, the API key there, and the user it is for. */
  hosted: '',
  apiKey: formRow('apiKey', '${env:KLAVIS_API_KEY}'),
  user: '',
  /** Base URL of the service, if `mcp.json` has one. */
  service: '',
  /** Of a legacy plugin: the URL of its document, that of a gateway, and its settings in `mcp.json`. */
  manifest: '',
  gateway: '',
  pluginSettings: {} as Record<string, McpSecretValue>,
  place: 'toolyard' as 'toolyard' | 'browser',
  /** Of a server of this browser: connected through Toolyard's proxy. */
  proxy: false,
  /** Of a server of this browser: header values outlast the tab. */
  keepSecrets: false,
  /** Seconds, as typed; empty: the default. */
  callTimeout: '',
  connectTimeout: '',
  /** As typed; empty: no limit. */
  maxCalls: '',
  /** All chats share one connection, even if the server is interactive. */
  oneConnection: false,
};
export type ServerFields = typeof EMPTY;

/** For a new server: sandboxed, unless the snippet says otherwise. */
export function toNewFields({ id, transport, ...limits }: AddMcpServer): ServerFields {
  const isLocal = transport.type === 'stdio';
  const own = isLocal ? { ...transport, sandbox: transport.sandbox ?? true } : transport;
  return { ...toFields({ id, transport: own }), ...limitFields(limits) };
}

/** The fields for the timeouts and the concurrency of a server. */
export function limitFields({
  callTimeoutMs = null,
  connectTimeoutMs = null,
  processes,
  maxConcurrentCalls = null,
}: ServerLimits): Pick<ServerFields, 'callTimeout' | 'connectTimeout' | 'maxCalls' | 'oneConnection'> {
  return {
    callTimeout: writeSeconds(callTimeoutMs),
    connectTimeout: writeSeconds(connectTimeoutMs),
    maxCalls: maxConcurrentCalls === null ? '' : String(maxConcurrentCalls),
    oneConnection: processes === 'one',
  };
}

export function toFields({ id, transport }: AddMcpServer): ServerFields {
  const rows = (texts: Record<string, McpSecretValue> = {}) =>
    Object.entries(texts).map(([name, value]) => formRow(name, value));
  if (transport.type === 'stdio') {
    const { command, args = [], env, cwd = '', envFile = '' } = transport;
    const shown = { command, args: args.map((value) => argumentRow(value)), env: rows(env), cwd, envFile };
    return { ...EMPTY, id, kind: 'local', ...shown, ...sandboxFields(transport.sandbox) };
  }
  if (transport.type === 'hosted') {
    const { server, apiKey, user = '', url = '' } = transport;
    return { ...EMPTY, id, kind: 'hosted', hosted: server, apiKey: formRow('apiKey', apiKey), user, service: url };
  }
  if (transport.type === 'plugin') {
    const { url, gateway = '', settings = {} } = transport;
    return { ...EMPTY, id, kind: 'plugin', manifest: url, gateway, pluginSettings: settings };
  }
  const { type, url, headers } = transport;
  return { ...EMPTY, id, kind: 'remote', url, useSse: type === 'sse', headers: rows(headers) };
}

/** Empty rows are omitted. */
export function toDraft(fields: ServerFields): AddMcpServer {
  return { id: fields.id.trim(), transport: toTransport(fields) };
}

/** The server to test, under the name in the form, so that errors contain it; secrets of the stored one are used. */
export function toTest(fields: ServerFields, savedId: string | null): { id: string; transport: McpTransport } {
  const { id, transport } = toDraft(fields);
  return { id: savedId ?? id, transport };
}

function toTransport(fields: ServerFields): McpTransport {
  if (fields.kind === 'local') {
    const cwd = fields.cwd.trim();
    const envFile = fields.envFile.trim();
    const args = fields.args.map(({ value }) => value).filter((value) => value !== '');
    return {
      type: 'stdio',
      command: fields.command.trim(),
      ...(args.length === 0 ? {} : { args }),
      ...toTexts('env', fields.env),
      ...(cwd === '' ? {} : { cwd }),
      ...(envFile === '' ? {} : { envFile }),
      sandbox: toSandbox(fields),
    };
  }
  if (fields.kind === 'hosted') {
    const { apiKey, service } = fields;
    const user = fields.user.trim();
    return {
      type: 'hosted',
      service: 'klavis',
      server: fields.hosted.trim(),
      apiKey: isKept(apiKey) ? { secret: true } : apiKey.value.trim(),
      ...(user === '' ? {} : { user }),
      ...(service === '' ? {} : { url: service }),
    };
  }
  if (fields.kind === 'plugin') {
    const gateway = completeAddress(fields.gateway);
    const { pluginSettings } = fields;
    return {
      type: 'plugin',
      url: completeAddress(fields.manifest),
      ...(gateway === '' ? {} : { gateway }),
      ...(Object.keys(pluginSettings).length === 0 ? {} : { settings: pluginSettings }),
    };
  }
  const url = completeAddress(fields.url);
  return {
    type: detectTransportType(url, fields.useSse ? 'sse' : 'http') ?? 'http',
    url,
    ...toTexts('headers', fields.headers),
  };
}

function toTexts<K extends 'env' | 'headers'>(
  key: K,
  rows: readonly FormRow[],
): { [P in K]?: Record<string, McpSecretValue> } {
  const pairs = rows
    .filter(({ name }) => name.trim() !== '')
    .map((row): [string, McpSecretValue] => [row.name.trim(), isKept(row) ? { secret: true } : row.value]);
  return pairs.length === 0
    ? {}
    : ({ [key]: Object.fromEntries(pairs) } as { [P in K]: Record<string, McpSecretValue> });
}

/** True while its value is the stored one. */
export function isKept({ kept, value }: FormRow): boolean {
  return kept && value === '';
}

/**
 * What prevents saving the form.
 *
 * @param saved the stored transport, if any: stored values are neither sent to another host nor renamed
 * @param keepsGaps the user wants to save it with what looks like placeholders
 */
export function findProblems(
  fields: ServerFields,
  { taken, saved, keepsGaps = false }: { taken: ReadonlySet<string>; saved: AddMcpServer | null; keepsGaps?: boolean },
): FormProblems {
  const hasGap = (text: string): boolean => !keepsGaps && listGaps(text).length > 0;
  const id = idProblem(fields.id.trim(), taken);
  const problems: FormProblems = {
    ...(id === null ? {} : { id }),
    ...(readSeconds(fields.callTimeout) === undefined ? { callTimeout: 'seconds' as const } : {}),
    ...(readSeconds(fields.connectTimeout) === undefined ? { connectTimeout: 'seconds' as const } : {}),
    ...(readCount(fields.maxCalls) === undefined ? { maxCalls: 'count' as const } : {}),
    rows: rowProblems(fields, saved, hasGap),
  };
  if (fields.kind === 'local') {
    const command: FormProblems['command'] | undefined =
      fields.command.trim() === '' ? 'missing' : hasGap(fields.command) ? 'gap' : undefined;
    return { ...problems, ...defined({ command, cwd: hasGap(fields.cwd) ? ('gap' as const) : undefined }) };
  }
  if (fields.kind === 'hosted') {
    const mustReenter = isKept(fields.apiKey) && saved?.transport.type !== 'hosted';
    const isMissing = !fields.apiKey.kept && fields.apiKey.value.trim() === '';
    const apiKey: FormProblems['apiKey'] | undefined = mustReenter
      ? 'reenter'
      : isMissing
        ? 'missing'
        : hasGap(fields.apiKey.value)
          ? 'gap'
          : undefined;
    const hosted = fields.hosted.trim() === '' ? ('missing' as const) : undefined;
    return { ...problems, ...defined({ hosted, apiKey }) };
  }
  if (fields.kind === 'plugin') {
    const manifest = completeAddress(fields.manifest);
    const gateway = completeAddress(fields.gateway);
    const findProblem = (url: string): 'invalid' | 'gap' | undefined =>
      !isWebUrl(url) ? 'invalid' : hasGap(url) ? 'gap' : undefined;
    return {
      ...problems,
      ...defined({
        manifest: manifest === '' ? ('missing' as const) : findProblem(manifest),
        gateway: gateway === '' ? undefined : findProblem(gateway),
      }),
    };
  }
  const url = completeAddress(fields.url);
  if (url === '') return { ...problems, url: 'missing' };
  if (detectTransportType(url, 'http') === null) return { ...problems, url: 'invalid' };
  return hasGap(url) ? { ...problems, url: 'gap' } : problems;
}

/** It may begin with a variable. */
function isWebUrl(text: string): boolean {
  return /^\$\{[^}]+\}/.test(text) || /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** Milliseconds; null if empty, undefined unless it is from a second to a day. */
export function readSeconds(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 86_400 ? Math.round(seconds * 1000) : undefined;
}

/** Null if empty, undefined if it is not a valid limit of concurrent calls. */
export function readCount(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const count = Number(text);
  return Number.isInteger(count) && count >= 1 && count <= MAX_CONCURRENT_CALLS ? count : undefined;
}

function writeSeconds(ms: number | null): string {
  return ms === null ? '' : String(ms / 1000);
}

export function hasProblems({ rows, ...fields }: FormProblems): boolean {
  return rows.size > 0 || Object.keys(fields).length > 0;
}

/** True if placeholders are all that prevents saving: only the user knows whether they are. */
export function hasOnlyGaps({ rows, ...fields }: FormProblems): boolean {
  const all = [...rows.values(), ...Object.values(fields)];
  return all.length > 0 && all.every((problem) => problem === 'gap');
}

function idProblem(id: string, taken: ReadonlySet<string>): NonNullable<FormProblems['id']> | null {
  if (id === '') return 'missing';
  // A slash separates server and tool in tool references.
  if (!/^[^/\p{Cc}]{1,100}$/u.test(id)) return 'invalidCharacters';
  return taken.has(id) ? 'taken' : null;
}

function rowProblems(
  fields: ServerFields,
  saved: AddMcpServer | null,
  hasGap: (text: string) => boolean,
): Map<number, RowProblem> {
  if (fields.kind === 'hosted' || fields.kind === 'plugin') return new Map();
  const isWeb = fields.kind === 'remote';
  const rows = isWeb ? fields.headers : fields.env;
  const storedNames =
    saved !== null && getHost(saved) === getHost(toDraft(fields)) ? listStoredNames(saved.transport) : new Set();
  const problems = new Map<number, RowProblem>();
  const seen = new Set<string>();
  for (const row of rows) {
    const name = row.name.trim();
    const same = isWeb ? name.toLowerCase() : name;
    if (name === '') {
      if (row.value !== '' || row.kept) problems.set(row.key, 'name');
    } else if (isWeb ? !/^[\w!#$%&'*+.^`|~-]+$/.test(name) : /[=\p{Cc}]/u.test(name))
      problems.set(row.key, 'invalidCharacters');
    else if (seen.has(same)) problems.set(row.key, 'duplicate');
    else if (isKept(row) && !storedNames.has(name)) problems.set(row.key, 'reenter');
    else if (hasGap(row.value)) problems.set(row.key, 'gap');
    seen.add(same);
  }
  if (!isWeb) for (const { key, value } of fields.args) if (hasGap(value)) problems.set(key, 'gap');
  return problems;
}

function listStoredNames(transport: McpTransport): ReadonlySet<string> {
  if (transport.type === 'hosted' || transport.type === 'plugin') return new Set();
  const texts = (transport.type === 'stdio' ? transport.env : transport.headers) ?? {};
  return new Set(Object.keys(texts).filter((name) => typeof texts[name] === 'object'));
}

/** The recipient of the values: the host, or the command, since another command may be another program. */
function getHost({ transport }: AddMcpServer): string {
  if (transport.type === 'stdio' || transport.type === 'hosted') return transport.type;
  return /^\w+:\/\/[^/?#]+/.exec(transport.url)?.[0].toLowerCase() ?? transport.url;
}

/** Whether a value is masked while it is typed. */
export function looksSecret(name: string): boolean {
  return /token|secret|passw|auth|key|cookie|credential|session/i.test(name);
}
