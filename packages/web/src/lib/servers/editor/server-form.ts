import type { McpSecretValue, McpTransport } from '@toolyard/protocol';
import { MAX_CONCURRENT_CALLS } from '@toolyard/protocol';
import type { SandboxFields } from './sandbox-fields.ts';
import { sandboxFields, toSandbox } from './sandbox-fields.ts';
import type { ServerDraft } from './server-draft.ts';
import { wireOf } from './read-snippet.ts';
import type { ServerLimits } from './snippet-limits.ts';

/** One header or variable. `kept`: its value is on the server and stays as long as none is typed here. */
export type FormRow = { key: number; name: string; value: string; kept: boolean };
export type ArgumentRow = { key: number; value: string };

/** What stands in the form. Both kinds keep what was typed when one is switched to the other and back. */
export type ServerFields = SandboxFields & {
  id: string;
  kind: 'program' | 'address' | 'hosted';
  command: string;
  args: ArgumentRow[];
  cwd: string;
  envFile: string;
  env: FormRow[];
  url: string;
  /** The address knows nothing but HTTP+SSE. */
  olderWire: boolean;
  headers: FormRow[];
  /** Of one that a service makes: as the service calls it, the key there, and for whom. */
  hosted: string;
  apiKey: FormRow;
  user: string;
  /** Where the service is, if `mcp.json` says so. */
  service: string;
  place: 'toolyard' | 'browser';
  /** Of one in the browser: it is reached through Toolyard. */
  proxy: boolean;
  /** Of one in the browser: values of headers outlast the tab. */
  keepSecrets: boolean;
  /** Seconds, as they were typed; empty: the usual. */
  callTimeout: string;
  connectTimeout: string;
  /** As it was typed; empty: no limit. */
  maxCalls: string;
  /** All chats share one connection, also where the server is interactive. */
  oneConnection: boolean;
};

/** What is wrong with a row: it has no name, one that cannot be, that of another row, or wants its value again. */
export type RowProblem = 'name' | 'signs' | 'twice' | 'again';
export type FormProblems = {
  id?: 'missing' | 'signs' | 'taken';
  command?: 'missing';
  url?: 'missing' | 'address';
  hosted?: 'missing';
  apiKey?: 'missing' | 'again';
  callTimeout?: 'seconds';
  connectTimeout?: 'seconds';
  maxCalls?: 'count';
  /** By the key of the row. */
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

export const EMPTY: Readonly<ServerFields> = {
  id: '',
  kind: 'program',
  command: '',
  args: [],
  cwd: '',
  envFile: '',
  env: [],
  sandbox: true,
  readPaths: '',
  writePaths: '',
  network: 'on',
  hosts: '',
  browser: false,
  url: '',
  olderWire: false,
  headers: [],
  hosted: '',
  apiKey: formRow('apiKey', '${env:KLAVIS_API_KEY}'),
  user: '',
  service: '',
  place: 'toolyard',
  proxy: false,
  keepSecrets: false,
  callTimeout: '',
  connectTimeout: '',
  maxCalls: '',
  oneConnection: false,
};

/** Of a server that is not stored yet: it is sandboxed, unless what was pasted says something else. */
export function newFieldsOf({ id, transport, ...limits }: ServerDraft): ServerFields {
  const isLocal = transport.type === 'stdio';
  const own = isLocal ? { ...transport, sandbox: transport.sandbox ?? true } : transport;
  return { ...fieldsOf({ id, transport: own }), ...limitFields(limits) };
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

export function fieldsOf({ id, transport }: ServerDraft): ServerFields {
  const rows = (texts: Record<string, McpSecretValue> = {}) =>
    Object.entries(texts).map(([name, value]) => formRow(name, value));
  if (transport.type === 'stdio') {
    const { command, args = [], env, cwd = '', envFile = '' } = transport;
    const shown = { command, args: args.map((value) => argumentRow(value)), env: rows(env), cwd, envFile };
    return { ...EMPTY, id, kind: 'program', ...shown, ...sandboxFields(transport.sandbox) };
  }
  if (transport.type === 'hosted') {
    const { server, apiKey, user = '', url = '' } = transport;
    return { ...EMPTY, id, kind: 'hosted', hosted: server, apiKey: formRow('apiKey', apiKey), user, service: url };
  }
  const { type, url, headers } = transport;
  return { ...EMPTY, id, kind: 'address', url, olderWire: type === 'sse', headers: rows(headers) };
}

/** Rows nobody has filled in are left out. */
export function toDraft(fields: ServerFields): ServerDraft {
  return { id: fields.id.trim(), transport: toTransport(fields) };
}

/** What is tried. It has the name that stands in the form, so that a failure names it; a stored one lends its secrets. */
export function toTest(fields: ServerFields, savedId: string | null): { id: string; transport: McpTransport } {
  const { id, transport } = toDraft(fields);
  return { id: savedId ?? id, transport };
}

function toTransport(fields: ServerFields): McpTransport {
  if (fields.kind === 'program') {
    const cwd = fields.cwd.trim();
    const envFile = fields.envFile.trim();
    const args = fields.args.map(({ value }) => value).filter((value) => value !== '');
    return {
      type: 'stdio',
      command: fields.command.trim(),
      ...(args.length === 0 ? {} : { args }),
      ...textsOf('env', fields.env),
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
  const url = fields.url.trim();
  return { type: wireOf(url, fields.olderWire ? 'sse' : 'http') ?? 'http', url, ...textsOf('headers', fields.headers) };
}

function textsOf<K extends 'env' | 'headers'>(
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

/** True while its value is the one on the server. */
export function isKept({ kept, value }: FormRow): boolean {
  return kept && value === '';
}

/**
 * What keeps the form from being saved.
 *
 * @param saved how it is reached now, where it is saved already: what is kept is neither sent to another host nor renamed
 */
export function problemsOf(
  fields: ServerFields,
  { taken, saved }: { taken: ReadonlySet<string>; saved: ServerDraft | null },
): FormProblems {
  const id = idProblem(fields.id.trim(), taken);
  const problems: FormProblems = {
    ...(id === null ? {} : { id }),
    ...(readSeconds(fields.callTimeout) === undefined ? { callTimeout: 'seconds' as const } : {}),
    ...(readSeconds(fields.connectTimeout) === undefined ? { connectTimeout: 'seconds' as const } : {}),
    ...(readCount(fields.maxCalls) === undefined ? { maxCalls: 'count' as const } : {}),
    rows: rowProblems(fields, saved),
  };
  if (fields.kind === 'program') return fields.command.trim() === '' ? { ...problems, command: 'missing' } : problems;
  if (fields.kind === 'hosted') {
    const again = isKept(fields.apiKey) && saved?.transport.type !== 'hosted';
    const apiKey = again ? 'again' : !fields.apiKey.kept && fields.apiKey.value.trim() === '' ? 'missing' : null;
    return {
      ...problems,
      ...(fields.hosted.trim() === '' ? { hosted: 'missing' as const } : {}),
      ...(apiKey === null ? {} : { apiKey }),
    };
  }
  const url = fields.url.trim();
  if (url === '') return { ...problems, url: 'missing' };
  return wireOf(url, 'http') === null ? { ...problems, url: 'address' } : problems;
}

/** Milliseconds; null where nothing was typed, undefined for what is no time from a second to a day. */
export function readSeconds(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds >= 1 && seconds <= 86_400 ? Math.round(seconds * 1000) : undefined;
}

/** Null where nothing was typed, undefined for what is no number of calls that a server may be limited to. */
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

function idProblem(id: string, taken: ReadonlySet<string>): NonNullable<FormProblems['id']> | null {
  if (id === '') return 'missing';
  // A slash parts the server from its tool wherever both are named.
  if (!/^[^/\p{Cc}]{1,100}$/u.test(id)) return 'signs';
  return taken.has(id) ? 'taken' : null;
}

function rowProblems(fields: ServerFields, saved: ServerDraft | null): Map<number, RowProblem> {
  if (fields.kind === 'hosted') return new Map();
  const isWeb = fields.kind === 'address';
  const rows = isWeb ? fields.headers : fields.env;
  const keptNames = saved !== null && hostOf(saved) === hostOf(toDraft(fields)) ? keptIn(saved.transport) : new Set();
  const problems = new Map<number, RowProblem>();
  const seen = new Set<string>();
  for (const row of rows) {
    const name = row.name.trim();
    const same = isWeb ? name.toLowerCase() : name;
    if (name === '') {
      if (row.value !== '' || row.kept) problems.set(row.key, 'name');
    } else if (isWeb ? !/^[\w!#$%&'*+.^`|~-]+$/.test(name) : /[=\p{Cc}]/u.test(name)) problems.set(row.key, 'signs');
    else if (seen.has(same)) problems.set(row.key, 'twice');
    else if (isKept(row) && !keptNames.has(name)) problems.set(row.key, 'again');
    seen.add(same);
  }
  return problems;
}

function keptIn(transport: McpTransport): ReadonlySet<string> {
  if (transport.type === 'hosted') return new Set();
  const texts = (transport.type === 'stdio' ? transport.env : transport.headers) ?? {};
  return new Set(Object.keys(texts).filter((name) => typeof texts[name] === 'object'));
}

/** Whom the values would be given to. A program on this machine may be another one as well. */
function hostOf({ transport }: ServerDraft): string {
  if (transport.type === 'stdio' || transport.type === 'hosted') return transport.type;
  return /^\w+:\/\/[^/?#]+/.exec(transport.url)?.[0].toLowerCase() ?? transport.url;
}

/** Whether a value is hidden while it is typed. */
export function looksSecret(name: string): boolean {
  return /token|secret|passw|auth|key|cookie|credential|session/i.test(name);
}
