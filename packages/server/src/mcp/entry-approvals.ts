import type { McpConfigEntry, WrittenTransport } from '@toolyard/mcp-host/node';
import type { JsonObject, JsonValue, McpEntryApproval, ToolyardError } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject, showHidden, say } from '@toolyard/protocol';
import type { TransportConfig } from '@toolyard/mcp-host';
import { sha256 } from '@toolyard/mcp-host';
import { createConflictError } from '../errors.ts';

/** Prefix of the server id. Written only here. */
const PREFIX = 'mcp.entry:';
/** Set once the entries that existed at the first start were approved. Written only here. */
const PINNED = 'mcp.entries-pinned';
/** Processes with one database may have different files: so many versions of one entry are approved at a time. */
const VERSIONS = 16;

/** Storage of approvals: settings of the owner. */
export type ApprovalStore = {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue): Promise<void>;
};

/** What an entry does, without literal secrets; its hash covers those too. */
export type EntryLaunch = { hash: string; launch: JsonObject };

/**
 * Approvals of entries in `mcp.json`. The rule: **an entry that acts needs the approval of everything that decides what it
 * does, whatever its transport**: starting a program, connecting to a host and sending a variable are acts.
 */
export type EntryApprovals = {
  /** The entries that need approval, by id. `isWhole`: the file could be read. */
  unapproved(entries: readonly McpConfigEntry[], isWhole: boolean): Promise<ReadonlyMap<string, UnapprovedEntry>>;
  approve(id: string, hash: string): Promise<void>;
  /** Withdraws the approval of this version, or of all. */
  withdraw(id: string, hash?: string): Promise<void>;
  /** The approved hashes, the latest last. */
  approved(id: string): Promise<readonly string[]>;
};

/** `isNew`: nothing was ever approved under this id. */
export type UnapprovedEntry = EntryLaunch & { isNew: boolean };

export type EntryApprovalsOptions = {
  /** False for a command without a server; the next start of a server pins existing entries. */
  pinsExisting?: boolean;
  /** The data folder of a process that shares its database with others: each has a file, and a first start, of its own. */
  sharedBy?: string | undefined;
};

export function createEntryApprovals(
  store: ApprovalStore,
  { pinsExisting = true, sharedBy }: EntryApprovalsOptions = {},
): EntryApprovals {
  const pinned = sharedBy === undefined ? PINNED : `${PINNED}:${sha256(sharedBy)}`;
  let isPinned = false;

  async function approved(id: string): Promise<readonly string[]> {
    const pin = await store.get(PREFIX + id);
    const hashes = isJsonObject(pin) ? (pin['hashes'] ?? [pin['hash'] ?? null]) : undefined;
    return Array.isArray(hashes) ? hashes.filter((hash) => typeof hash === 'string') : [];
  }
  const setApproved = (id: string, hashes: string[]): Promise<void> => store.set(PREFIX + id, { hashes });
  const approve = async (id: string, hash: string): Promise<void> =>
    setApproved(id, [...(await approved(id)).filter((each) => each !== hash), hash].slice(-VERSIONS));

  /** Once, at the first start: the user put this file here before Toolyard ran. */
  async function pinExisting(launches: ReadonlyMap<string, EntryLaunch>, isWhole: boolean): Promise<void> {
    isPinned = (await store.get(pinned)) !== undefined;
    // Entries of an unreadable file are pinned once it can be read.
    if (isPinned || !isWhole || !pinsExisting) return;
    for (const [id, { hash }] of launches) await approve(id, hash);
    await store.set(pinned, true);
    isPinned = true;
  }

  return {
    approve,
    approved,
    withdraw: async (id, hash) =>
      setApproved(id, hash === undefined ? [] : (await approved(id)).filter((each) => each !== hash)),
    async unapproved(entries, isWhole) {
      const launches = new Map<string, EntryLaunch>();
      for (const entry of entries) {
        const launch = launchOfEntry(entry);
        if (launch !== null) launches.set(entry.id, launch);
      }
      const unapproved = new Map<string, UnapprovedEntry>();
      if (!isPinned) await pinExisting(launches, isWhole);
      if (!isPinned) return unapproved;
      for (const [id, launch] of launches) {
        const before = await approved(id);
        if (!before.includes(launch.hash)) unapproved.set(id, { ...launch, isNew: before.length === 0 });
      }
      return unapproved;
    },
  };
}

function launchOfEntry({ written, settings, oauth, ...entry }: McpConfigEntry): EntryLaunch | null {
  const filled = 'config' in entry ? entry.config.transport : undefined;
  return written === undefined ? null : toLaunch(written, { filled, trusted: settings.trusted, oauth });
}

type Privileges = {
  /** With variables filled in: the values of an `envFile` matter, and where links in the paths of folders lead. */
  filled: TransportConfig | undefined;
  trusted: boolean;
  /** The sign-in settings as written. */
  oauth: JsonValue | undefined;
};

/** Everything in an entry that determines what it starts or contacts, and with which privileges, as written. */
export function toLaunch(written: WrittenTransport, { filled, trusted, oauth }: Privileges): EntryLaunch {
  const launch: JsonObject = {
    ...(written.type === 'stdio' ? toProgram(written, filled?.type === 'stdio' ? filled : undefined) : { ...written }),
    ...(trusted ? { trusted } : {}),
    ...defined({ oauth }),
  };
  return { launch: written.type === 'stdio' ? launch : withoutLiterals(launch), hash: sha256(canonicalJson(launch)) };
}

function toProgram(
  { command, args = [], env: ownEnv = {}, envFile, cwd, sandbox = false }: Extract<WrittenTransport, { type: 'stdio' }>,
  filled: Extract<TransportConfig, { type: 'stdio' }> | undefined,
): JsonObject {
  const ofFile = Object.entries(filled?.env ?? {}).filter(([name]) => !Object.hasOwn(ownEnv, name));
  const links = Object.entries(filled?.leadsTo ?? {}).filter(([path, target]) => path !== target);
  return {
    command,
    args,
    ...(Object.keys(ownEnv).length === 0 ? {} : { env: ownEnv }),
    ...(envFile === undefined ? {} : { envFile, 'variables of envFile': Object.fromEntries(ofFile) }),
    ...defined({ cwd }),
    sandbox: sandbox === false ? false : { ...sandbox },
    ...(links.length === 0 ? {} : { 'paths lead to': Object.fromEntries(links) }),
  };
}

/** Members whose literal values are keys. A value with a variable is shown: which one it sends decides. */
const SECRET = ['headers', 'apiKey', 'settings', 'oauth'];

function withoutLiterals(launch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(launch).map(([name, value]) => [name, SECRET.includes(name) ? hidden(value) : value]),
  );
}

function hidden(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(hidden);
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]));
  if (typeof value !== 'string') return value;
  return value.match(/\$\{[^}]*\}/g)?.join(' ') ?? '(hidden)';
}

/** The exact text for approval, with hidden characters made visible. */
export function approvalView(id: string, line: number, { launch, hash, isNew }: UnapprovedEntry): McpEntryApproval {
  const text = showHidden(JSON.stringify(launch, null, 2));
  const variables = [...text.matchAll(/\$\{env:([^}]+)\}/g)].flatMap(([, name = '']) => name);
  const contacts = ['url', 'gateway'].flatMap((key) => hostIn(launch[key]) ?? []);
  return { id, file: 'mcp.json', line, text, hash, isNew, contacts, variables: [...new Set(variables)].sort() };
}

/** The host of a URL; a URL with a variable as written. */
function hostIn(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const url = value.includes('${') ? null : URL.parse(value);
  return url?.host ? url.host : showHidden(value);
}

/** Why an entry is not started. */
export function createUnapprovedError(id: string, line: number, { isNew }: UnapprovedEntry): ToolyardError {
  const name = showHidden(id);
  return createConflictError(
    isNew
      ? say`mcp.json, line ${line}: the server "${name}" was added outside Toolyard and has not been approved.`
      : say`mcp.json, line ${line}: the server "${name}" was changed outside Toolyard and has not been approved.`,
    say`It is neither started nor contacted until you approve its exact text: on its page, or with "toolyard mcp approve".`,
  );
}
