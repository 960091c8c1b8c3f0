import type { ToolSource } from '@toolyard/agent-host';
import { hostTools } from '@toolyard/agent-host';
import type { McpHost, ToolHost } from '@toolyard/mcp-host';
import type { ResolvedAgentConfiguration } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { ServerWait } from '../services.ts';
import type { ServerList } from './server-list.ts';

/** How long a run waits for servers that connect for the first time, in milliseconds. */
export const RUN_CONNECT_WAIT_MS = 5_000;

/** Selections kept in the cache; conversations without choices of their own share one. */
const SELECTIONS_KEPT = 100;

type SelectionsOptions = {
  host: McpHost;
  serverList: ServerList;
  /** Default: {@link RUN_CONNECT_WAIT_MS}. */
  connectWaitMs?: number | undefined;
  /** Connects a disabled server while it is in use. */
  connectTemporarily: (id: string) => void;
  /** Reads sign-ins made by another process with the same database. */
  reloadSignIns: () => Promise<void>;
  /** Called at every turn, and before and after each call. */
  onUse: (serverId: string, calls: -1 | 0 | 1) => void;
};

/** The tools of each conversation: those of the servers it has chosen. */
export class Selections {
  readonly #options: SelectionsOptions;
  readonly #kept = new Map<string, ToolHost & ToolSource>();
  /** Servers whose present attempt one run has waited for in vain; no run waits for it again. */
  readonly #timedOut = new Set<string>();

  constructor(options: SelectionsOptions) {
    this.#options = options;
  }

  /** Notifies the selections of a change of this server: the attempt may be over. */
  changed(id: string): void {
    if (this.#timedOut.has(id) && this.#options.host.awaited([id]).length === 0) this.#timedOut.delete(id);
  }

  async select(
    configuration: ResolvedAgentConfiguration,
    signal: AbortSignal,
    wait: ServerWait = {},
  ): Promise<ToolHost & ToolSource> {
    signal.throwIfAborted();
    const { serverList, connectTemporarily, reloadSignIns } = this.#options;
    const serverIds = serverList.all.flatMap((server) => {
      const chosen = configuration.servers[server.id] ?? serverList.isEnabled(server.id);
      return chosen && 'config' in server ? [server.id] : [];
    });
    for (const id of serverIds) connectTemporarily(id);
    await reloadSignIns();
    await this.#waitFor(serverIds, signal, wait);
    return this.#selection(serverIds, configuration.disabledTools);
  }

  /**
   * No server delays answers more than once: an attempt is awaited until it ends, for a limited time, or until the user
   * stops or skips the wait, and by no run after that. Its tools join at the next turn.
   */
  async #waitFor(serverIds: readonly string[], signal: AbortSignal, { skip, onAwaited }: ServerWait): Promise<void> {
    const { host, connectWaitMs = RUN_CONNECT_WAIT_MS } = this.#options;
    const awaited = host.awaited(serverIds).filter((id) => !this.#timedOut.has(id));
    if (awaited.length === 0 || skip?.aborted === true) return;
    // Functions of this process are there in a moment, and some of their servers are listed nowhere.
    const named = awaited.filter((id) => host.configurations.get(id)?.transport.type !== 'in-memory');
    if (named.length > 0) onAwaited?.(named);
    const until = skip === undefined ? signal : AbortSignal.any([signal, skip]);
    await host.whenNoneAwaited(awaited, until, connectWaitMs);
    for (const id of host.awaited(awaited)) this.#timedOut.add(id);
    signal.throwIfAborted();
  }

  #selection(serverIds: readonly string[], disabledTools: readonly string[]): ToolHost & ToolSource {
    const { host, serverList, onUse } = this.#options;
    const key = JSON.stringify([serverIds, disabledTools, serverList.version]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const disabled = new Set(disabledTools);
    const chosen = new Set(serverIds);
    const view = host.select(
      chosen,
      (tool) => disabled.has(formatToolReference(tool)) || !serverList.isToolOn(tool),
      (serverId) => {
        onUse(serverId, 1);
        return () => onUse(serverId, -1);
      },
    );
    const onTurn = (): void => serverIds.forEach((id) => onUse(id, 0));
    const selection = hostTools({ host, view, isSelected: (id) => chosen.has(id), onTurn });
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= SELECTIONS_KEPT) this.#kept.delete(oldest);
    this.#kept.set(key, selection);
    return selection;
  }
}
