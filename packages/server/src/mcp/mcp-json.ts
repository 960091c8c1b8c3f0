import type { ServerConfig, TransportConfig } from '@toolyard/mcp-host';
import type { EntrySettings, McpConfigEntry, ServerEntry, WrittenTransport } from '@toolyard/mcp-host/node';
import { configOf, fillTransport, McpConfigFile, readTransport, watchConfigFile } from '@toolyard/mcp-host/node';
import type {
  Clock,
  EditMcpServer,
  ErrorInfo,
  McpEntryApproval,
  McpServerConfiguration,
  McpTransport,
  TestMcpServer,
} from '@toolyard/protocol';
import { createErrorInfo, messageText, say, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import { createConflictError, createInvalidError, createNotFoundError } from '../errors.ts';
import { closeOrWarn } from '../secrets/private-file.ts';
import type { ConfiguredServer, ServerOfFile } from './configured-servers.ts';
import type { EntryApprovals, UnapprovedEntry } from './entry-approvals.ts';
import { approvalView, createUnapprovedError, toLaunch } from './entry-approvals.ts';
import { withoutSecrets, withSecrets } from './secrets-of-servers.ts';
import type { ServerList } from './server-list.ts';

/** How long the file may be missing, such as while an editor replaces it, before it counts as empty. Milliseconds. */
const ABSENCE_MS = 1_000;

const DEFAULT_SETTINGS = { enabled: true, disabledTools: [], allowedTools: [], trusted: false };

export type McpJsonOptions = {
  path: string;
  env: Readonly<Record<string, string | undefined>>;
  serverList: Pick<ServerList, 'all' | 'find' | 'isEnabled' | 'toolsOff'>;
  approvals: EntryApprovals;
  clock: Clock;
  log: (line: string) => void;
  /** Called when the entries or the fault of the file changed. */
  onChange(): void;
};

/** The `mcp.json` of a data folder: its last readable version, its changes by the user, and which entries are approved. */
export class McpJson {
  readonly #options: McpJsonOptions;
  readonly #file: McpConfigFile;
  #text: string | null = null;
  #entries: McpConfigEntry[] = [];
  #fault: ErrorInfo | undefined;
  /** Last logged problems of single entries. */
  #loggedProblems: string[] = [];
  #endWatch: (() => void) | undefined;
  #callOff: (() => void) | undefined;
  #isWarned = false;

  constructor(options: McpJsonOptions) {
    this.#options = options;
    this.#file = new McpConfigFile(options);
    this.#read();
  }

  get entries(): readonly McpConfigEntry[] {
    return this.#entries;
  }

  /** False if there is no such file, and therefore no entries. */
  get exists(): boolean {
    return this.#text !== null;
  }

  /** The current fault of the file as a whole. */
  get fault(): ErrorInfo | undefined {
    return this.#fault;
  }

  /** Starts watching for changes. */
  watch(): void {
    this.#endWatch ??= watchConfigFile(this.#file.path, this.#options.clock, () => this.#reload());
  }

  close(): void {
    this.#endWatch?.();
    this.#callOff?.();
  }

  /** The entries that need approval, by id. */
  unapproved(): Promise<ReadonlyMap<string, UnapprovedEntry>> {
    return this.#options.approvals.unapproved(this.#entries, this.#fault === undefined);
  }

  get hasUnapproved(): boolean {
    return this.#options.serverList.all.some((server) => server.origin === 'file' && server.unapproved !== undefined);
  }

  /** The entry to approve. @throws ToolyardError `conflict` if it needs no approval */
  approval(id: string): McpEntryApproval {
    const { line, unapproved } = this.#findEntry(id) ?? {};
    if (line !== undefined && unapproved !== undefined) return approvalView(id, line, unapproved);
    throw createConflictError(say`The server "${id}" needs no approval.`);
  }

  /** @throws ToolyardError `conflict` if the hash of the entry has changed */
  async approve(id: string, hash: string): Promise<void> {
    if (this.approval(id).hash !== hash) {
      throw createConflictError(
        say`The entry of "${id}" in mcp.json has changed since it was shown. Nothing was approved.`,
        say`Read the entry again and repeat the approval.`,
      );
    }
    await this.#options.approvals.approve(id, hash);
  }

  /** @throws ToolyardError `conflict`: an entry that the user has not seen is neither started nor saved by an edit */
  checkApproved(id: string): void {
    const { line, unapproved } = this.#findEntry(id) ?? {};
    if (line !== undefined && unapproved !== undefined) throw createUnapprovedError(id, line, unapproved);
  }

  /** Withdraws the approvals of a removed server: if another program writes the same entry again, it needs approval. */
  async forgetApproval(id: string): Promise<void> {
    const { approvals } = this.#options;
    if ((await approvals.approved(id)).length > 0) await approvals.withdraw(id);
  }

  /** @throws ToolyardError `conflict` if the id is taken, `bad_request` if the entry is invalid */
  async add(id: string, server: EditMcpServer): Promise<void> {
    const taken = this.#options.serverList.find(id) ?? this.#entries.find((entry) => entry.id === id);
    if (taken !== undefined) {
      throw createConflictError(
        say`The server "${id}" already exists.`,
        say`Choose another name, or change the existing server.`,
      );
    }
    await this.#write(id, toEntry(server, true), { trusted: false, oauth: undefined });
  }

  /** @throws ToolyardError `conflict` if it is not in the file */
  configuration(id: string): McpServerConfiguration {
    const { serverList } = this.#options;
    const entry = this.#getEntry(id);
    const { settings, written, line, isHeld = false } = entry;
    return {
      id,
      transport: written === undefined ? null : withoutSecrets(written),
      ...('fault' in entry && !isHeld ? { fault: { line, message: entry.fault.message } } : {}),
      enabled: serverList.isEnabled(id),
      disabledTools: serverList.toolsOff(id),
      callTimeoutMs: settings.callTimeoutMs ?? null,
      connectTimeoutMs: settings.connectTimeoutMs ?? null,
      processes: settings.processes ?? null,
      maxConcurrentCalls: settings.maxConcurrentCalls ?? null,
    };
  }

  /** @throws ToolyardError like {@link McpJson.configuration} and {@link McpJson.add} */
  async edit(id: string, edit: EditMcpServer): Promise<void> {
    this.checkApproved(id);
    const before = this.#getEntry(id);
    const entry = toEntry(edit, this.#options.serverList.isEnabled(id), before);
    await this.#write(id, entry, { trusted: before.settings.trusted, oauth: before.oauth });
  }

  /** What the user writes here is approved; if the file cannot be written, it is not. */
  async #write(
    id: string,
    entry: ServerEntry,
    { trusted, oauth }: { trusted: boolean; oauth: McpConfigEntry['oauth'] | undefined },
  ): Promise<void> {
    const { approvals } = this.#options;
    const { hash } = toLaunch(entry.transport, { filled: this.#filled(entry.transport), trusted, oauth });
    const isApproved = (await approvals.approved(id)).includes(hash);
    await approvals.approve(id, hash);
    try {
      this.#file.write(id, entry);
      this.#read();
    } catch (thrown) {
      if (!isApproved) await approvals.withdraw(id, hash);
      throw thrown;
    }
  }

  /** Undefined if a variable cannot be filled in: such an entry does not start. */
  #filled(written: WrittenTransport): TransportConfig | undefined {
    try {
      return fillTransport(written, this.#file.source, 'The server');
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown)) return undefined;
      throw thrown;
    }
  }

  /** @throws ToolyardError like {@link McpJson.configuration} */
  checkRemovable(id: string): void {
    this.#getEntry(id);
  }

  /** @throws ToolyardError like {@link McpJson.configuration} */
  remove(id: string): void {
    this.#getEntry(id);
    this.#file.remove(id);
    this.#read();
  }

  /** The configuration to test. @throws ToolyardError if it cannot be tested at all */
  toTestConfig({ id, transport }: TestMcpServer): ServerConfig {
    // A test may use stored values of the entry.
    if (id !== undefined) this.checkApproved(id);
    const server = id === undefined ? undefined : this.#options.serverList.find(id);
    if (transport === undefined) return configIn(id, server);
    const { written, settings = DEFAULT_SETTINGS } = server?.origin === 'file' ? server : {};
    return this.#configFor(id ?? 'test', writable(transport, written), settings);
  }

  #configFor(id: string, written: WrittenTransport, settings: EntrySettings): ServerConfig {
    try {
      return configOf(id, fillTransport(written, this.#file.source, `The server "${id}"`), settings);
    } catch (thrown) {
      throw asRequest(thrown);
    }
  }

  #findEntry(id: string): ServerOfFile | undefined {
    const server = this.#options.serverList.find(id);
    return server?.origin === 'file' ? server : undefined;
  }

  #getEntry(id: string): ServerOfFile {
    const server = this.#options.serverList.find(id);
    if (server?.origin === 'file') return server;
    throw createConflictError(
      server?.origin === 'flag'
        ? say`The server "${id}" is set on the command line and cannot be changed here.`
        : say`The server "${id}" ships with Toolyard and cannot be changed.`,
      say`You can disable it; a server of the same name in mcp.json replaces it.`,
    );
  }

  #reload(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    const text = this.#readText();
    const isGone = text === null || text?.trim() === '';
    if (!isGone || this.#entries.length === 0) return this.#apply(text);
    // Programs that write in place empty the file first; those that replace it may remove it for a moment.
    this.#callOff = this.#options.clock.after(ABSENCE_MS, () => {
      this.#callOff = undefined;
      this.#apply(this.#readText());
    });
  }

  #apply(text: string | null | undefined): void {
    if (text === undefined || text === this.#text) return;
    this.#read(text);
    this.#options.onChange();
  }

  /** Undefined if the file cannot be read now. */
  #readText(): string | null | undefined {
    try {
      return this.#file.text();
    } catch {
      return undefined;
    }
  }

  /** An unreadable file changes nothing and is reported. */
  #read(newText?: string | null): void {
    const { log } = this.#options;
    this.#restrictMode();
    try {
      this.#text = newText === undefined ? this.#file.text() : newText;
      this.#entries = this.#file.entries(this.#text);
      if (this.#fault !== undefined) log(`${this.#file.name}: readable again`);
      this.#fault = undefined;
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      const message = messageText(thrown);
      const text = this.#entries.length > 0 ? say`${message} The previous version stays in use.` : message;
      this.#fault = createErrorInfo({ ...toErrorInfo(thrown), message: text });
      log(this.#fault.message);
      return;
    }
    const lines = this.#entries.flatMap((entry) => this.#warningsFor(entry));
    for (const line of lines) if (!this.#loggedProblems.includes(line)) log(line);
    this.#loggedProblems = lines;
  }

  /** Corrects the mode: editors and other programs may replace the file. */
  #restrictMode(): void {
    closeOrWarn(this.#file.path, (line) => {
      if (!this.#isWarned) this.#options.log(line);
      this.#isWarned = true;
    });
  }

  #warningsFor(entry: McpConfigEntry): string[] {
    if ('fault' in entry) return [`${entry.fault.message} The server is skipped.`];
    const { id, line, settings } = entry;
    if (settings.allowedTools.length === 0) return [];
    const where = `${this.#file.name}, line ${line}: server "${id}"`;
    return [`${where} lists tools that run without approval; Toolyard ignores this and uses its own permissions.`];
  }
}

function configIn(id: string | undefined, server: ConfiguredServer | undefined): ServerConfig {
  if (id === undefined) {
    throw createInvalidError('The request has neither a server id nor a transport.');
  }
  if (server === undefined) throw createNotFoundError(say`There is no server "${id}".`);
  if ('fault' in server) throw asRequest(server.fault);
  return server.config;
}

/** The entry to write; what the edit leaves out is as before. @throws ToolyardError `bad_request` */
function toEntry(
  edit: EditMcpServer,
  isEnabled: boolean,
  before?: Pick<McpConfigEntry, 'settings' | 'written'>,
): ServerEntry {
  const settings = before?.settings;
  const kept = <T>(value: T | null | undefined, old: T | undefined): T | undefined =>
    value === undefined ? old : (value ?? undefined);
  return {
    transport: writable(edit.transport, before?.written),
    enabled: edit.enabled ?? isEnabled,
    disabledTools: edit.disabledTools,
    callTimeoutMs: kept(edit.callTimeoutMs, settings?.callTimeoutMs),
    connectTimeoutMs: kept(edit.connectTimeoutMs, settings?.connectTimeoutMs),
    processes: kept(edit.processes, settings?.processes),
    maxConcurrentCalls: kept(edit.maxConcurrentCalls, settings?.maxConcurrentCalls),
  };
}

/** The transport to write, validated as if it were read. @throws ToolyardError `bad_request` */
function writable(input: McpTransport, stored: WrittenTransport | undefined): WrittenTransport {
  try {
    return withSandbox(readTransport(withSecrets(input, stored), 'The server'), stored);
  } catch (thrown) {
    throw asRequest(thrown);
  }
}

/** A request without `sandbox` keeps the setting; a new command is sandboxed. */
function withSandbox(written: WrittenTransport, stored: WrittenTransport | undefined): WrittenTransport {
  if (written.type !== 'stdio') return written;
  const { sandbox, ...others } = written;
  // The entry has no sandbox already; do not add the key.
  if (sandbox === false && stored?.type === 'stdio' && stored.sandbox === undefined) return others;
  if (sandbox !== undefined) return written;
  if (stored?.type !== 'stdio') return { ...written, sandbox: {} };
  return stored.sandbox === undefined ? written : { ...written, sandbox: stored.sandbox };
}

/** An error in a client's request is not an error of the configuration. */
function asRequest(thrown: unknown): unknown {
  if (!ToolyardError.isInstance(thrown) || thrown.code !== 'bad_config') return thrown;
  const { message, hint } = thrown;
  return createInvalidError(message, hint);
}
