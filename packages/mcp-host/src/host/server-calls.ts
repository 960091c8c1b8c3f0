import type { JsonObject, McpTaskView, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { askServer, callServer, followServerTask } from './call-server.ts';
import { notSent } from '../calls/call-failure.ts';
import { forwardInTurn } from '../calls/forward-in-turn.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { ActiveFlows } from './active-flows.ts';
import { SHUTTING_DOWN } from './active-flows.ts';
import type { SelectedTools } from './selected-tools.ts';
import { isDisabled } from './selected-tools.ts';
import type { ServerRegistry } from './server-registry.ts';
import type { ManagedServer } from './managed-server.ts';
import type { McpSession } from '../connection/mcp-session.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { ToolTrust } from '../catalogue/trust.ts';
import { changedSince, definitionHash } from '../catalogue/trust.ts';
import type { CallToolOptions, McpRequestOptions } from '../types.ts';

/** How long a request waits for a server that is reconnecting, in milliseconds. */
const RECONNECT_WAIT_MS = 10_000;

/**
 * The tools that calls are limited to, and a callback for the beginning of a call; the function it returns is called at
 * the end.
 */
export type CallSelection = { view: SelectedTools; onCall: ((serverId: string) => () => void) | undefined };

/** Requests to the servers of a host; each one counts as in progress until it is answered. */
export class ServerCalls {
  readonly #servers: ServerRegistry;
  readonly #flows: ActiveFlows;
  readonly #trust: ToolTrust;

  constructor(servers: ServerRegistry, flows: ActiveFlows, trust: ToolTrust) {
    this.#servers = servers;
    this.#flows = flows;
    this.#trust = trust;
  }

  /**
   * Makes a call, unless the tool is gone, not selected, disabled or changed since its approval. Never throws.
   *
   * @param selection null for all tools of the host
   */
  async callTool(
    selection: CallSelection | null,
    tool: ToolReference,
    args: JsonObject,
    options: CallToolOptions = {},
  ): Promise<ToolResult> {
    const refusal = selection?.view.refusal(tool);
    if (refusal) return notSent(refusal);
    if (this.#flows.isClosed) return notSent({ code: 'server_closed', message: SHUTTING_DOWN });
    const entry = this.#servers.find(tool.serverId);
    if (entry === undefined) {
      return notSent({ code: 'tool_not_found', message: say`There is no server "${tool.serverId}".` });
    }
    if (isDisabled(entry.config, tool.name)) {
      const message = say`The tool "${tool.name}" of "${tool.serverId}" is disabled.`;
      return notSent({ code: 'tool_not_found', message });
    }
    const end = selection?.onCall?.(tool.serverId);
    let release: (() => void) | undefined;
    try {
      // A pending change of the tool list may have replaced an approved tool.
      const isApproved = options.definition !== undefined || this.#trust.verdict(tool) === 'approved';
      const known = isApproved ? entry.session?.toolsUpToDate() : undefined;
      if (known) await known;
      if (this.#hasChanged(tool, options.definition)) return notSent(changedSince(tool));
      release = this.#flows.acquire();
      return await callServer(entry, this.#waitForReconnect(entry, options.signal), tool, args, options);
    } finally {
      release?.();
      end?.();
    }
  }

  /** Waits for the task that a call became, even if its tool is disabled meanwhile. Never throws. */
  async resumeTask(
    selection: CallSelection | null,
    handle: TaskHandle,
    options: CallToolOptions = {},
  ): Promise<ToolResult> {
    const end = selection?.onCall?.(handle.tool.serverId);
    return this.#followTask(handle, options).finally(end);
  }

  async #followTask(handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
    if (this.#flows.isClosed) return unreachableTask(handle, SHUTTING_DOWN.text);
    const { serverId } = handle.tool;
    const entry = this.#servers.find(serverId);
    if (entry === undefined) return unreachableTask(handle, `there is no server "${serverId}".`);
    return this.#flows.during(() =>
      followServerTask(entry, this.#waitForReconnect(entry, options.signal), handle, options),
    );
  }

  /** Sends an idempotent request. @throws ToolyardError */
  async ask<T>(id: string, options: McpRequestOptions, ask: (session: McpSession) => Promise<T>): Promise<T> {
    this.#flows.refuseWhenClosed();
    const entry = this.#servers.get(id);
    return this.#flows.during(() => askServer(entry, this.#waitForReconnect(entry, options.signal), ask));
  }

  /** The tasks of a server, newest first. @throws ToolyardError */
  async tasks(id: string, options: McpRequestOptions): Promise<McpTaskView[]> {
    const { tasks } = this.#servers.get(id);
    return this.ask(id, options, (session) => session.listTasks(tasks.all, options));
  }

  /** The result of a task that has ended. @throws ToolyardError `not_found`, `conflict` */
  async taskResult(id: string, taskId: string, options: McpRequestOptions): Promise<ToolResult> {
    const task = (await this.tasks(id, options)).find((each) => each.taskId === taskId);
    if (task === undefined || task.status === 'unknown') {
      throw new ToolyardError({
        code: 'not_found',
        message: say`The server "${id}" does not know the task "${taskId}".`,
      });
    }
    if (task.status === 'working' || task.status === 'input_required') {
      throw new ToolyardError({
        code: 'conflict',
        message: say`The task "${taskId}" of "${id}" has not ended.`,
        hint: say`Wait for it, or cancel it.`,
        retryable: true,
      });
    }
    const known = this.#servers.get(id).tasks.find(taskId)?.handle;
    return this.ask(id, options, (session) => {
      const handle = known ?? { tool: { serverId: id, name: task.tool ?? 'task' }, taskId, era: session.era };
      return session.followTask(handle, options);
    });
  }

  /** The server for a proxy that serves it to other clients. @throws ToolyardError */
  async forwarded(id: string, signal: AbortSignal | undefined): Promise<ForwardedServer> {
    const server = await this.ask(id, signal === undefined ? {} : { signal }, async (session) => session.forwarded());
    const entry = this.#servers.get(id);
    return { ...server, request: (request) => forwardInTurn(entry, server, request) };
  }

  /** Hash of a tool's current definition and endpoint; undefined if the tool is not offered. */
  findDefinition({ serverId, name }: ToolReference): string | undefined {
    const entry = this.#servers.find(serverId);
    const tool = entry?.tools.get(name);
    return entry === undefined || tool === undefined ? undefined : definitionHash(entry.config, tool);
  }

  /** Compares with the definition that a user just approved, else with the pinned one. */
  #hasChanged(tool: ToolReference, approved: string | undefined): boolean {
    const now = approved === undefined ? undefined : this.findDefinition(tool);
    return now === undefined ? this.#trust.verdict(tool) === 'voided' : now !== approved;
  }

  #waitForReconnect(entry: ManagedServer, signal: AbortSignal | undefined): () => Promise<void> {
    return () => this.#servers.whenBack(entry.config.id, signal, RECONNECT_WAIT_MS);
  }
}
