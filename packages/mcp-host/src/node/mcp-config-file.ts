import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { JsonValue } from '@toolyard/protocol';
import { isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import { setInJson } from './json-edit.ts';
import { parseJsonFile } from './json-file.ts';
import type { McpConfigEntry, McpConfigSource } from './mcp-config.ts';
import { parseMcpConfig, serversPath } from './mcp-config.ts';
import type { EntrySettings, WrittenTransport } from './written-server.ts';
import { createConfigError } from '../values/config-error.ts';

/** The settings of a server to write; undefined ones are removed. */
export type ServerEntry = {
  transport: WrittenTransport;
  enabled: boolean;
} & {
  [Key in 'disabledTools' | 'callTimeoutMs' | 'connectTimeoutMs' | 'processes' | 'maxConcurrentCalls']:
    | EntrySettings[Key]
    | undefined;
};

export type McpConfigFileOptions = {
  path: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Called as `mcp-config:replace` before the file is replaced; for tests. */
  failpoint?: (name: string) => void;
};

/** How long to wait when another program has the file open. */
const BUSY_MS = 50;
/** How often to start over when the file changes while it is written. */
const ATTEMPTS = 5;

/**
 * Reads and writes an `mcp.json`. Writing keeps unknown keys, comments, order and indentation, replaces the file
 * atomically, and never overwrites a concurrent change.
 *
 * @example
 * const file = new McpConfigFile({ path: 'mcp.json', env: process.env });
 * file.remove('files');
 * console.log(file.entries().map(({ id }) => id));
 */
export class McpConfigFile {
  readonly path: string;
  readonly #source: McpConfigSource;

  readonly #failpoint: (name: string) => void;

  constructor({ path, env, failpoint = () => undefined }: McpConfigFileOptions) {
    this.#failpoint = failpoint;
    this.path = resolve(path);
    this.#source = { name: basename(path), folder: dirname(this.path), env };
  }

  /** The name of the file in messages. */
  get name(): string {
    return this.#source.name;
  }

  get source(): McpConfigSource {
    return this.#source;
  }

  /** The whole text; null if the file does not exist. @throws ToolyardError `bad_config` if it cannot be read */
  text(): string | null {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      const code = getErrorCode(error);
      if (code === 'ENOENT') return null;
      throw createConfigError(`${this.name} cannot be read (${code}).`);
    }
  }

  /** @throws ToolyardError `bad_config` if the file as a whole is invalid */
  entries(text: string | null = this.text()): McpConfigEntry[] {
    return text === null ? [] : parseMcpConfig(withoutMark(text), this.#source);
  }

  /**
   * Writes a server: appends a new one, or updates only what changed.
   *
   * @throws ToolyardError `conflict` if the file cannot be read or written
   */
  write(id: string, entry: ServerEntry): void {
    this.#change((text, at) => {
      this.#checkOnce(text, [...at, id]);
      const old = valueAt(text, [...at, id]);
      return edits(isJsonObject(old) ? Object.keys(old) : [], old, entry).reduce(
        (written, [path, value]) => setInJson(written, [...at, id, ...path], value),
        isJsonObject(old) ? text : setInJson(text, [...at, id], {}),
      );
    });
  }

  /** Removes a server; does nothing if it is not in the file. @throws as {@link McpConfigFile.write} does */
  remove(id: string): void {
    this.#change((text, at) =>
      parseJsonFile(text, this.name)
        .listLines([...at, id])
        .reduce((rest) => setInJson(rest, [...at, id], undefined), text),
    );
  }

  #checkOnce(text: string, path: readonly string[]): void {
    const lines = parseJsonFile(text, this.name).listLines(path);
    if (lines.length < 2) return;
    throw new ToolyardError({
      code: 'conflict',
      message: `${this.name}: server "${path.at(-1) ?? ''}" is defined more than once (lines ${lines.join(', ')}). Nothing was written.`,
      hint: `Remove all but one definition from ${this.name}, then try again.`,
    });
  }

  #change(change: (text: string, servers: string[]) => string): void {
    for (let attempt = 1; ; attempt++) {
      const before = this.text();
      const mark = before?.startsWith('\uFEFF') === true ? '\uFEFF' : '';
      const text = withoutMark(before ?? '');
      const root = this.#parseRoot(text);
      const after = mark + change(text.trim() === '' ? '{\n}\n' : text, serversPath(root));
      if (after === before) return;
      if (this.#replace(before, after)) return;
      if (attempt < ATTEMPTS) continue;
      throw new ToolyardError({
        code: 'conflict',
        message: `${this.name} keeps being changed by another program. Nothing was written.`,
        hint: say`Try again later.`,
      });
    }
  }

  #parseRoot(text: string): JsonValue {
    if (text.trim() === '') return {};
    try {
      parseMcpConfig(text, this.#source);
      return parseJsonFile(text, this.name).value;
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError({
        code: 'conflict',
        message: `${thrown.message} Nothing was written.`,
        hint: `Correct ${this.name} first: changing an invalid file could lose data.`,
      });
    }
  }

  /** Returns false without writing if the file has changed meanwhile. */
  #replace(before: string | null, after: string): boolean {
    // Replaces the target of a symbolic link, not the link.
    const target = before === null ? this.path : realpathSync(this.path);
    const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
    try {
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      // The file may contain keys. An existing one may have been created by an editor with a mode that lets others read
      // it.
      writeFileSync(draft, after, { mode: 0o600, flush: true });
      this.#failpoint('mcp-config:replace');
      if (this.text() !== before) return false;
      return putInPlace(draft, target);
    } catch (error) {
      if (ToolyardError.isInstance(error)) throw error;
      throw new ToolyardError({
        code: 'conflict',
        message: `${this.name} could not be written (${getErrorCode(error)}).`,
        hint: 'Check the permissions of the file and its folder, and the free disk space.',
      });
    } finally {
      rmSync(draft, { force: true });
    }
  }
}

/** Returns false if another program has the file open, as virus scanners on Windows do for a moment. */
function putInPlace(draft: string, target: string): boolean {
  try {
    renameSync(draft, target);
    return true;
  } catch (error) {
    if (process.platform !== 'win32' || !['EPERM', 'EACCES', 'EBUSY'].includes(getErrorCode(error))) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
    return false;
  }
}

type Edit = [path: string[], value: JsonValue | undefined];

const PROGRAM_KEYS = ['command', 'args', 'env', 'envFile', 'cwd', 'sandbox'];
const ADDRESS_KEYS = ['url', 'serverUrl', 'httpUrl', 'headers'];
const PLUGIN_KEYS = ['gateway', 'settings'];

/** Writes only differences, so that everything else keeps its form. */
function edits(keys: readonly string[], old: JsonValue | undefined, entry: ServerEntry): Edit[] {
  const before = isJsonObject(old) ? old : {};
  const { transport, enabled, disabledTools, callTimeoutMs, connectTimeoutMs, processes, maxConcurrentCalls } = entry;
  const list: Edit[] = [];
  const set = (key: string, value: JsonValue | undefined): void => {
    if (JSON.stringify(before[key]) !== JSON.stringify(value)) list.push([[key], value]);
  };
  const setAll = (key: string, values: Record<string, string> | undefined): void => {
    const held = before[key];
    if (values === undefined || !isJsonObject(held)) return set(key, values);
    for (const name of Object.keys(held)) if (!Object.hasOwn(values, name)) list.push([[key, name], undefined]);
    for (const [name, value] of Object.entries(values)) if (held[name] !== value) list.push([[key, name], value]);
  };

  setKind(transport, before, set);
  if (transport.type === 'hosted') {
    const { service, server, apiKey, user, url } = transport;
    const held = before['hosted'];
    const texts = { service, server, apiKey, user, url };
    if (!isJsonObject(held)) set('hosted', JSON.parse(JSON.stringify(texts)) as JsonValue);
    else for (const [name, text] of Object.entries(texts)) if (held[name] !== text) list.push([['hosted', name], text]);
    for (const key of [...PROGRAM_KEYS, ...ADDRESS_KEYS]) set(key, undefined);
  } else if (transport.type === 'plugin') {
    set('url', transport.url);
    set('gateway', transport.gateway);
    setAll('settings', transport.settings);
    for (const key of [...PROGRAM_KEYS, ...ADDRESS_KEYS, 'hosted']) if (key !== 'url') set(key, undefined);
  } else if (transport.type === 'stdio') {
    set('command', transport.command);
    if (transport.args !== undefined && (transport.args.length > 0 || keys.includes('args')))
      set('args', transport.args);
    if (transport.args === undefined) set('args', undefined);
    setAll('env', transport.env);
    set('envFile', transport.envFile);
    set('cwd', transport.cwd);
    const { sandbox } = transport;
    const isDefault = sandbox !== undefined && sandbox !== false && Object.keys(sandbox).length === 0;
    // Without settings, `true` and `{}` mean the same: the existing form is kept.
    if (!isDefault) set('sandbox', sandbox);
    else if (before['sandbox'] !== true) set('sandbox', isJsonObject(before['sandbox']) ? {} : true);
    for (const key of [...ADDRESS_KEYS, 'hosted']) set(key, undefined);
  } else {
    const urlKey = ['serverUrl', 'httpUrl'].find((key) => keys.includes(key) && !keys.includes('url')) ?? 'url';
    set(urlKey, transport.url);
    setAll('headers', transport.headers);
    for (const key of [...PROGRAM_KEYS, 'hosted']) set(key, undefined);
  }
  if (transport.type !== 'plugin' && before['type'] === 'plugin') for (const key of PLUGIN_KEYS) set(key, undefined);
  // Two keys are in use for it; the existing one is kept.
  if (keys.includes('enabled')) set('enabled', enabled);
  if (!keys.includes('enabled') || keys.includes('disabled')) {
    set('disabled', enabled ? (keys.includes('disabled') ? false : undefined) : true);
  }
  if (disabledTools !== undefined) {
    set('disabledTools', disabledTools.length === 0 && !keys.includes('disabledTools') ? undefined : disabledTools);
    set('excludeTools', undefined);
  }
  set('callTimeoutMs', callTimeoutMs);
  set('connectTimeoutMs', connectTimeoutMs);
  // An omitted value means `auto`; an explicit `auto` is kept.
  if (processes !== undefined || before['processes'] !== 'auto') set('processes', processes);
  set('maxConcurrentCalls', maxConcurrentCalls);
  return list;
}

/** Writes the type if the other keys do not imply it, and updates an existing one. */
function setKind(
  transport: WrittenTransport,
  before: Record<string, JsonValue>,
  set: (key: string, value: JsonValue | undefined) => void,
): void {
  const { type } = before;
  // A hosted server is recognized by its `hosted` key.
  if (transport.type === 'hosted') return set('type', undefined);
  const word = transport.type === 'websocket' ? 'ws' : transport.type;
  if (type !== undefined) {
    const isSame = typeof type === 'string' && sameKind(type, transport.type);
    if (!isSame) set('type', word);
  } else if (transport.type === 'sse' || transport.type === 'plugin') set('type', word);
}

function sameKind(written: string, kind: WrittenTransport['type']): boolean {
  const plain = written.toLowerCase().replace(/[-_ ]/g, '');
  return plain === kind || (kind === 'websocket' && plain === 'ws') || (kind === 'http' && plain === 'streamablehttp');
}

function valueAt(text: string, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    parseJsonFile(text, '').value,
  );
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
