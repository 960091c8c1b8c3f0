import type { ServerConfig, TransportConfig } from '@toolyard/mcp-host';
import type { McpConfigEntry, ServerEntry, WrittenTransport } from '@toolyard/mcp-host/node';
import { configOf, fillTransport, readTransport } from '@toolyard/mcp-host/node';
import type { EditMcpServer, McpServerConfiguration, McpTransport, TestMcpServer } from '@toolyard/protocol';
import { defined, ToolyardError, say } from '@toolyard/protocol';
import type { ConfiguredServer } from './configured-servers.ts';
import type { EntryLaunch } from './entry-approvals.ts';
import { launchOf } from './entry-approvals.ts';
import type { ServerList } from './server-list.ts';
import type { McpJsonWatcher } from './mcp-json-watcher.ts';
import { withoutSecrets, withSecrets } from './secrets-of-servers.ts';

export type McpJsonEditorOptions = {
  book: ServerList;
  file: McpJsonWatcher;
};

/** An entry to be written, and what it does. */
export type PlannedEntry = { launch: EntryLaunch; write: () => void };

const NO_SWITCHES = { enabled: true, disabledTools: [], allowedTools: [], trusted: false };

/** Plans changes of `mcp.json` by editors, and the configuration of tests. */
export class McpJsonEditor {
  readonly #options: McpJsonEditorOptions;

  constructor(options: McpJsonEditorOptions) {
    this.#options = options;
  }

  /** @throws ToolyardError `conflict` if the id is taken, `bad_request` if the entry is invalid */
  add(id: string, server: EditMcpServer): PlannedEntry {
    const { book, file } = this.#options;
    const taken = book.find(id) ?? file.entries.find((entry) => entry.id === id);
    if (taken !== undefined) {
      throw new ToolyardError({
        code: 'conflict',
        message: say`The server "${id}" already exists.`,
        hint: say`Choose another name, or change the existing server.`,
      });
    }
    const transport = writable(server.transport, undefined);
    const entry: ServerEntry = {
      transport,
      enabled: server.enabled ?? true,
      disabledTools: server.disabledTools,
      callTimeoutMs: server.callTimeoutMs ?? undefined,
      connectTimeoutMs: server.connectTimeoutMs ?? undefined,
      processes: server.processes ?? undefined,
      maxConcurrentCalls: server.maxConcurrentCalls ?? undefined,
    };
    return this.#planned(id, entry, { trusted: false, oauth: undefined });
  }

  /** @throws ToolyardError `conflict` if it is not in the file */
  configuration(id: string, enabled: boolean): McpServerConfiguration {
    const entry = this.#entryOf(id);
    const { switches, written, line } = entry;
    return {
      id,
      transport: written === undefined ? null : withoutSecrets(written),
      ...('fault' in entry ? { fault: { line, message: entry.fault.message } } : {}),
      enabled,
      disabledTools: this.#options.book.toolsOff(id),
      callTimeoutMs: switches.callTimeoutMs ?? null,
      connectTimeoutMs: switches.connectTimeoutMs ?? null,
      processes: switches.processes ?? null,
      maxConcurrentCalls: switches.maxConcurrentCalls ?? null,
    };
  }

  /** @throws ToolyardError like {@link McpJsonEditor.configuration} and {@link McpJsonEditor.add} */
  edit(id: string, edit: EditMcpServer, enabled: boolean): PlannedEntry {
    const { switches, written, oauth } = this.#entryOf(id);
    const kept = <T>(value: T | null | undefined, before: T | undefined): T | undefined =>
      value === undefined ? before : (value ?? undefined);
    const entry: ServerEntry = {
      transport: writable(edit.transport, written),
      enabled: edit.enabled ?? enabled,
      disabledTools: edit.disabledTools,
      callTimeoutMs: kept(edit.callTimeoutMs, switches.callTimeoutMs),
      connectTimeoutMs: kept(edit.connectTimeoutMs, switches.connectTimeoutMs),
      processes: kept(edit.processes, switches.processes),
      maxConcurrentCalls: kept(edit.maxConcurrentCalls, switches.maxConcurrentCalls),
    };
    return this.#planned(id, entry, { trusted: switches.trusted, oauth });
  }

  #planned(
    id: string,
    entry: ServerEntry,
    kept: { trusted: boolean; oauth: McpConfigEntry['oauth'] | undefined },
  ): PlannedEntry {
    const { file } = this.#options;
    const { trusted, oauth } = kept;
    const launch = launchOf(entry.transport, { filled: this.#filled(entry.transport), trusted, oauth });
    return { launch, write: () => file.write(id, entry) };
  }

  /** Undefined if a variable cannot be filled in: such an entry does not start. */
  #filled(written: WrittenTransport): TransportConfig | undefined {
    try {
      return fillTransport(written, this.#options.file.source, 'The server');
    } catch (thrown) {
      if (ToolyardError.isInstance(thrown)) return undefined;
      throw thrown;
    }
  }

  /** @throws ToolyardError like {@link McpJsonEditor.configuration} */
  checkRemovable(id: string): void {
    this.#entryOf(id);
  }

  /** @throws ToolyardError like {@link McpJsonEditor.configuration} */
  remove(id: string): void {
    this.#entryOf(id);
    this.#options.file.remove(id);
  }

  /** The configuration to test. @throws ToolyardError if it cannot be tested at all */
  tried({ id, transport }: TestMcpServer): ServerConfig {
    const server = id === undefined ? undefined : this.#options.book.find(id);
    return transport === undefined ? configIn(id, server) : this.#configFor(id ?? 'test', transport, server?.entry);
  }

  #configFor(id: string, transport: McpTransport, entry: McpConfigEntry | undefined): ServerConfig {
    const written = writable(transport, entry?.written);
    try {
      const filled = fillTransport(written, this.#options.file.source, `The server "${id}"`);
      return configOf(id, filled, entry?.switches ?? NO_SWITCHES);
    } catch (thrown) {
      throw asRequest(thrown);
    }
  }

  #entryOf(id: string): McpConfigEntry {
    const server = this.#options.book.find(id);
    if (server?.entry !== undefined) return server.entry;
    throw new ToolyardError({
      code: 'conflict',
      message:
        server?.origin === 'flag'
          ? say`The server "${id}" is set on the command line and cannot be changed here.`
          : say`The server "${id}" ships with Toolyard and cannot be changed.`,
      hint: say`You can disable it; a server of the same name in mcp.json replaces it.`,
    });
  }
}

function configIn(id: string | undefined, server: ConfiguredServer | undefined): ServerConfig {
  if (id === undefined) {
    throw new ToolyardError({ code: 'bad_request', message: 'The request has neither a server id nor a transport.' });
  }
  if (server === undefined) throw new ToolyardError({ code: 'not_found', message: say`There is no server "${id}".` });
  if ('fault' in server) throw asRequest(server.fault);
  return server.config;
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
  return new ToolyardError({ code: 'bad_request', message, ...defined({ hint }) });
}
