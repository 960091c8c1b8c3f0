import type { McpConfigEntry, WrittenTransport } from '@toolyard/mcp-host/node';
import type { JsonObject, JsonValue, McpEntryApproval } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject, showHidden, ToolyardError } from '@toolyard/protocol';
import { sha256 } from '@toolyard/mcp-host';

/** Before the id of a server. Written here only. */
const PREFIX = 'mcp.entry:';
/** Set once the entries that were there before approvals existed have been pinned. */
const PINNED = 'mcp.entries-pinned';

/** Where approvals are kept: settings of whoever runs the servers. */
export type ApprovalStore = {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue): Promise<void>;
};

/** What an entry starts, with its hash. */
export type EntryLaunch = { hash: string; launch: JsonObject };

/** Approvals of the local servers (stdio) in `mcp.json`: what the user has not approved is not started. */
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

/** `pinsExisting`: false for a command without a server, whose next start pins what is there. */
export function createEntryApprovals(store: ApprovalStore, { pinsExisting = true } = {}): EntryApprovals {
  let isPinned = false;

  async function approved(id: string): Promise<string | null> {
    const pin = await store.get(PREFIX + id);
    return isJsonObject(pin) && typeof pin['hash'] === 'string' ? pin['hash'] : null;
  }
  const approve = (id: string, hash: string | null): Promise<void> => store.set(PREFIX + id, { hash });

  /** Once, at the upgrade: what runs already goes on running. */
  async function pinExisting(launches: ReadonlyMap<string, EntryLaunch>, isWhole: boolean): Promise<void> {
    isPinned = (await store.get(PINNED)) !== undefined;
    // A file that cannot be read has no entries yet: they are pinned when it can be.
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
 * Everything in an entry that decides what is started and with which rights, as it is written; null if nothing is
 * started here. `env` is the whole environment of the entry: of it only the variables of its `envFile` are added, whose
 * contents decide as well.
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

/** The exact text for whoever approves it, with what hides in it written out. */
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
