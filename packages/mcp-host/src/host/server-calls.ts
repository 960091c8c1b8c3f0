import type { JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { askServer, callServer, followServerTask } from './call-server.ts';
import { notSent } from '../calls/call-failure.ts';
import { forwardInTurn } from '../calls/forward-in-turn.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { ActiveFlows } from './active-flows.ts';
import { SHUTTING_DOWN } from './active-flows.ts';
import type { SelectedTools } from './selected-tools.ts';
import { isSwitchedOff } from './selected-tools.ts';
import type { ServerRegistry } from './server-registry.ts';
import type { ManagedServer } from './managed-server.ts';
import type { Session } from '../connection/session.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { ToolTrust } from '../catalogue/trust.ts';
import { changedSince, definitionHash } from '../catalogue/trust.ts';
import type { CallToolOptions, McpRequestOptions } from '../types.ts';

/** How long whoever needs a server that is reconnecting waits for it, in milliseconds. */
const PATIENCE_MS = 10_000;

/** The tools a call is limited to, and what is told when a call of a server begins and, by what that returns, ends. */
export type CallSelection = { view: SelectedTools; onCall: ((serverId: string) => () => void) | undefined };

/** What is asked of the servers of a host: each call and request is in progress until it is answered. */
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
   * Makes a call, unless the tool is gone, not selected, switched off, or no longer what was approved. Never throws.
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
    const end = selection?.onCall?.(tool.serverId);
    return this.#callChecked(tool, args, options).finally(end);
  }

  async #callChecked(tool: ToolReference, args: JsonObject, options: CallToolOptions): Promise<ToolResult> {
    if (this.#flows.isClosed) return notSent({ code: 'server_closed', message: SHUTTING_DOWN });
    const entry = this.#servers.find(tool.serverId);
    if (entry === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    if (isSwitchedOff(entry.config, tool.name)) {
      const message = `The tool "${tool.name}" of "${tool.serverId}" is switched off.`;
      return notSent({ code: 'tool_not_found', message });
    }
    // A change that was announced and not looked at may have put another tool into the place of an approved one.
    const isApproved = options.definition !== undefined || this.#trust.verdict(tool) === 'approved';
    const known = isApproved ? entry.session?.whenToolsAreKnown() : undefined;
    if (known) await known;
    if (this.#hasChanged(tool, options.definition)) return notSent(changedSince(tool));
    const release = this.#flows.acquire();
    return callServer(entry, this.#whenBack(entry, options.signal), tool, args, options).finally(release);
  }

  /** Waits for a task that a call has become, also if its tool is switched off by now. Never throws. */
  async resumeTask(
    selection: CallSelection | null,
    handle: TaskHandle,
    options: CallToolOptions = {},
  ): Promise<ToolResult> {
    const end = selection?.onCall?.(handle.tool.serverId);
    return this.#followTask(handle, options).finally(end);
  }

  async #followTask(handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
    if (this.#flows.isClosed) return unreachableTask(handle, SHUTTING_DOWN);
    const { serverId } = handle.tool;
    const entry = this.#servers.find(serverId);
    if (entry === undefined) return unreachableTask(handle, `there is no server "${serverId}".`);
    return this.#flows.during(() => followServerTask(entry, this.#whenBack(entry, options.signal), handle, options));
  }

  /** Asks a server for something that may be asked for twice. @throws ToolyardError */
  async ask<T>(id: string, options: McpRequestOptions, ask: (session: Session) => Promise<T>): Promise<T> {
    this.#flows.refuseWhenClosed();
    const entry = this.#servers.get(id);
    return this.#flows.during(() => askServer(entry, this.#whenBack(entry, options.signal), ask));
  }

  /** A server as it can be offered to others. @throws ToolyardError */
  async forwarded(id: string, signal: AbortSignal | undefined): Promise<ForwardedServer> {
    const server = await this.ask(id, signal === undefined ? {} : { signal }, async (session) => session.forwarded());
    const entry = this.#servers.get(id);
    return { ...server, request: (request) => forwardInTurn(entry, server, request) };
  }

  /** What a tool is now, and where its server is, in one hash; undefined where the tool is not offered. */
  definitionOf({ serverId, name }: ToolReference): string | undefined {
    const entry = this.#servers.find(serverId);
    const tool = entry?.tools.get(name);
    return entry === undefined || tool === undefined ? undefined : definitionHash(entry.config, tool);
  }

  /** Held against what a person has approved just now, else against what was approved for good. */
  #hasChanged(tool: ToolReference, approved: string | undefined): boolean {
    const now = approved === undefined ? undefined : this.definitionOf(tool);
    return now === undefined ? this.#trust.verdict(tool) === 'voided' : now !== approved;
  }

  #whenBack(entry: ManagedServer, signal: AbortSignal | undefined): () => Promise<void> {
    return () => this.#servers.whenSettled([entry.config.id], signal, PATIENCE_MS);
  }
}
