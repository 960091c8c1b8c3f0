import type { McpConfigEntry, WrittenTransport } from '@toolyard/mcp-host/node';
import type { JsonObject, JsonValue, McpEntryApproval } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject, showHidden, ToolyardError } from '@toolyard/protocol';
import { sha256 } from '@toolyard/mcp-host';

/** Prefix of the server id. Written only here. */
const PREFIX = 'mcp.entry:';
/** Set once the entries that existed before approvals were pinned. */
const PINNED = 'mcp.entries-pinned';

/** Storage of approvals: settings of the owner. */
export type ApprovalStore = {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue): Promise<void>;
};

/** What an entry starts, and its hash. */
export type EntryLaunch = { hash: string; launch: JsonObject };

/** Approvals of local servers (stdio) in `mcp.json`: what the user has not approved does not start. */
export type EntryApprovals = {
  /** The entries that need approval, by id. `isWhole`: the file could be read. */
  waiting(entries: readonly McpConfigEntry[], isWhole: boolean): Promise<ReadonlyMap<string, WaitingEntry>>;
  /** Null withdraws it. */
  approve(id: string, hash: string | null): Promise<void>;
  /** The approved hash; null if nothing is approved. */
  approved(id: string): Promise<string | null>;
};

/** `isNew`: nothing was ever approved under this id. */
export type WaitingEntry = EntryLaunch & { isNew: boolean };

/** `pinsExisting`: false for a command without a server; the next start of a server pins existing entries. */
export function createEntryApprovals(store: ApprovalStore, { pinsExisting = true } = {}): EntryApprovals {
  let isPinned = false;

  async function approved(id: string): Promise<string | null> {
    const pin = await store.get(PREFIX + id);
    return isJsonObject(pin) && typeof pin['hash'] === 'string' ? pin['hash'] : null;
  }
  const approve = (id: string, hash: string | null): Promise<void> => store.set(PREFIX + id, { hash });

  /** Once, at the upgrade: servers that ran before continue to run. */
  async function pinExisting(launches: ReadonlyMap<string, EntryLaunch>, isWhole: boolean): Promise<void> {
    isPinned = (await store.get(PINNED)) !== undefined;
    // Entries of an unreadable file are pinned once it can be read.
    if (isPinned || !isWhole || !pinsExisting) return;
    for (const [id, { hash }] of launches) await approve(id, hash);
    await store.set(PINNED, true);
    isPinned = true;
  }

  return {
    approve,
    approved,
    async waiting(entries, isWhole) {
      const launches = new Map<string, EntryLaunch>();
      for (const entry of entries) {
        const launch = launchOfEntry(entry);
        if (launch !== null) launches.set(entry.id, launch);
      }
      const waiting = new Map<string, WaitingEntry>();
      if (!isPinned) await pinExisting(launches, isWhole);
      if (!isPinned) return waiting;
      for (const [id, launch] of launches) {
        const before = await approved(id);
        if (before !== launch.hash) waiting.set(id, { ...launch, isNew: before === null });
      }
      return waiting;
    },
  };
}

function launchOfEntry(entry: McpConfigEntry): EntryLaunch | null {
  const { written, switches } = entry;
  const filled = 'config' in entry && entry.config.transport.type === 'stdio' ? entry.config.transport.env : undefined;
  return written === undefined ? null : launchOf(written, { env: filled, trusted: switches.trusted });
}

/**
 * Everything in an entry that determines what starts, and with which privileges, as written; null if nothing starts
 * here. `env` is the whole environment of the entry; only variables of its `envFile` are included, because their values
 * matter too.
 */
export function launchOf(
  written: WrittenTransport,
  { env, trusted }: { env: Readonly<Record<string, string>> | undefined; trusted: boolean },
): EntryLaunch | null {
  if (written.type !== 'stdio') return null;
  const { command, args = [], env: ownEnv = {}, envFile, cwd, sandbox = false } = written;
  const ofFile = Object.entries(env ?? {}).filter(([name]) => !Object.hasOwn(ownEnv, name));
  const launch: JsonObject = {
    command,
    args,
    ...(Object.keys(ownEnv).length === 0 ? {} : { env: ownEnv }),
    ...(envFile === undefined ? {} : { envFile, 'variables of envFile': Object.fromEntries(ofFile) }),
    ...defined({ cwd }),
    sandbox: sandbox === false ? false : { ...sandbox },
    ...(trusted ? { trusted } : {}),
  };
  return { launch, hash: sha256(canonicalJson(launch)) };
}

/** The exact text for approval, with hidden characters made visible. */
export function approvalView(id: string, line: number, { launch, hash, isNew }: WaitingEntry): McpEntryApproval {
  return { id, file: 'mcp.json', line, text: showHidden(JSON.stringify(launch, null, 2)), hash, isNew };
}

/** Why an entry is not started. */
export function needsApproval(id: string, line: number, { isNew }: WaitingEntry): ToolyardError {
  const what = isNew ? 'was added' : 'was changed';
  return new ToolyardError({
    code: 'conflict',
    message: `mcp.json, line ${line}: the local server "${showHidden(id)}" ${what} outside Toolyard and has not been approved.`,
    hint: 'It is not started until you approve its exact text: on its page, or with "toolyard mcp approve".',
  });
}
