import type { RunTools } from '@toolyard/agent-host';
import { hostTools } from '@toolyard/agent-host';
import type { McpHost, ServerState } from '@toolyard/mcp-host';
import type { ResolvedAgentConfiguration } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { ServerList } from './server-list.ts';

/** In these states it is unknown whether a server will have tools. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['connecting', 'reconnecting']);

/** Selections kept in the cache; conversations without choices of their own share one. */
const SELECTIONS_KEPT = 100;

type SelectionsOptions = {
  host: McpHost;
  book: ServerList;
  /** How long a run waits for connecting servers, in milliseconds. */
  patienceMs: number;
  stateOf: (id: string) => ServerState | undefined;
  /** Connects a disabled server while it is in use. */
  borrowIfOff: (id: string) => void;
  /** Reads sign-ins made by another process with the same database. */
  lookForSignIns: () => Promise<void>;
  /** Called at every turn, and before and after each call. */
  onUse: (serverId: string, calls: -1 | 0 | 1) => void;
};

/** The tools of each conversation: those of the servers it has chosen. */
export class Selections {
  readonly #options: SelectionsOptions;
  readonly #kept = new Map<string, RunTools>();
  /** Servers that one run has waited for in vain; others do not wait for them. */
  readonly #outwaited = new Set<string>();

  constructor(options: SelectionsOptions) {
    this.#options = options;
  }

  /** Notifies the selections with this server of a change. */
  changed(id: string): void {
    if (this.#outwaited.has(id) && !this.#isOnItsWay(id)) this.#outwaited.delete(id);
  }

  /** The next run waits for this server again. */
  waitAgainFor(id: string): void {
    this.#outwaited.delete(id);
  }

  async select(configuration: ResolvedAgentConfiguration, signal: AbortSignal): Promise<RunTools> {
    signal.throwIfAborted();
    const { book, borrowIfOff, lookForSignIns } = this.#options;
    const serverIds = book.all.flatMap((server) => {
      const chosen = configuration.servers[server.id] ?? book.isEnabled(server.id);
      return chosen && 'config' in server ? [server.id] : [];
    });
    for (const id of serverIds) borrowIfOff(id);
    await lookForSignIns();
    await this.#waitFor(serverIds, signal);
    return this.#selection(serverIds, configuration.disabledTools);
  }

  async #waitFor(serverIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { host, patienceMs } = this.#options;
    const awaited = serverIds.filter((id) => !this.#outwaited.has(id));
    await host.whenSettled(awaited, signal, patienceMs);
    signal.throwIfAborted();
    for (const id of awaited) if (this.#isOnItsWay(id)) this.#outwaited.add(id);
  }

  #isOnItsWay(id: string): boolean {
    return ON_ITS_WAY.has(this.#options.stateOf(id) ?? '');
  }

  #selection(serverIds: readonly string[], disabledTools: readonly string[]): RunTools {
    const { host, book, onUse } = this.#options;
    const key = JSON.stringify([serverIds, disabledTools, book.version]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const disabled = new Set(disabledTools);
    const chosen = new Set(serverIds);
    const view = host.select(
      chosen,
      (tool) => disabled.has(formatToolReference(tool)) || !book.isToolOn(tool),
      (serverId) => {
        onUse(serverId, 1);
        return () => onUse(serverId, -1);
      },
    );
    const tools = hostTools({ host, view, isSelected: (id) => chosen.has(id) });
    const selection: RunTools = {
      ...tools,
      contextSources() {
        for (const id of serverIds) onUse(id, 0);
        return tools.contextSources();
      },
    };
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= SELECTIONS_KEPT) this.#kept.delete(oldest);
    this.#kept.set(key, selection);
    return selection;
  }
}
