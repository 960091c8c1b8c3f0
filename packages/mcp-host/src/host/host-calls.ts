import type { JsonObject, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { askServer, callServer, followServerTask } from './ask-server.ts';
import { notSent } from '../calls/call-failure.ts';
import { forwardInTurn } from '../calls/forward-in-turn.ts';
import type { ForwardedServer } from '../calls/forward.ts';
import type { Flows } from './flows.ts';
import { CLOSED } from './flows.ts';
import { isSwitchedOff } from './selected-tools.ts';
import type { ServerSet } from './server-set.ts';
import type { ServerSlot } from './server-slot.ts';
import type { Session } from '../connection/session.ts';
import { unreachableTask } from '../tasks/task-result.ts';
import type { ToolTrust } from '../catalogue/trust.ts';
import { changedSince, definitionHash } from '../catalogue/trust.ts';
import type { CallToolOptions, RequestOptions } from '../types.ts';

/** How long whoever needs a server that is reconnecting waits for it, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What is asked of the servers of a host: each call and request is under way until it is answered. */
export class HostCalls {
  readonly #servers: ServerSet;
  readonly #flows: Flows;
  readonly #trust: ToolTrust;

  constructor(servers: ServerSet, flows: Flows, trust: ToolTrust) {
    this.#servers = servers;
    this.#flows = flows;
    this.#trust = trust;
  }

  /** Makes a call, unless the tool is gone, switched off, or no longer what was approved. Never throws. */
  async callTool(tool: ToolReference, args: JsonObject, options: CallToolOptions): Promise<ToolResult> {
    if (this.#flows.isClosed) return notSent({ code: 'server_closed', message: CLOSED });
    const slot = this.#servers.find(tool.serverId);
    if (slot === undefined) {
      return notSent({ code: 'tool_not_found', message: `There is no server "${tool.serverId}".` });
    }
    if (isSwitchedOff(slot.config, tool.name)) {
      const message = `The tool "${tool.name}" of "${tool.serverId}" is switched off.`;
      return notSent({ code: 'tool_not_found', message });
    }
    // A change that was announced and not looked at may have put another tool into the place of an approved one.
    const isApproved = options.definition !== undefined || this.#trust.verdict(tool) === 'approved';
    const known = isApproved ? slot.session?.whenToolsAreKnown() : undefined;
    if (known) await known;
    if (this.#hasChanged(tool, options.definition)) return notSent(changedSince(tool));
    return this.#flows.during(() => callServer(slot, this.#whenBack(slot, options.signal), tool, args, options));
  }

  /** Waits for a task that a call has become. Never throws. */
  async resumeTask(handle: TaskHandle, options: CallToolOptions): Promise<ToolResult> {
    if (this.#flows.isClosed) return unreachableTask(handle, CLOSED);
    const { serverId } = handle.tool;
    const slot = this.#servers.find(serverId);
    if (slot === undefined) return unreachableTask(handle, `there is no server "${serverId}".`);
    return this.#flows.during(() => followServerTask(slot, this.#whenBack(slot, options.signal), handle, options));
  }

  /** Asks a server for something that may be asked for twice. @throws ToolyardError */
  async ask<T>(id: string, options: RequestOptions, ask: (session: Session) => Promise<T>): Promise<T> {
    this.#flows.refuseWhenClosed();
    const slot = this.#servers.get(id);
    return this.#flows.during(() => askServer(slot, this.#whenBack(slot, options.signal), ask));
  }

  /** A server as it can be offered to others. @throws ToolyardError */
  async forwarded(id: string, signal: AbortSignal | undefined): Promise<ForwardedServer> {
    const server = await this.ask(id, signal === undefined ? {} : { signal }, async (session) => session.forwarded());
    const slot = this.#servers.get(id);
    return { ...server, request: (request) => forwardInTurn(slot, server, request) };
  }

  /** What a tool is now, and where its server is, in one hash; undefined where the tool is not offered. */
  definitionOf({ serverId, name }: ToolReference): string | undefined {
    const slot = this.#servers.find(serverId);
    const tool = slot?.tools.get(name);
    return slot === undefined || tool === undefined ? undefined : definitionHash(slot.config, tool);
  }

  /** Held against what a person has approved just now, else against what was approved for good. */
  #hasChanged(tool: ToolReference, approved: string | undefined): boolean {
    const now = approved === undefined ? undefined : this.definitionOf(tool);
    return now === undefined ? this.#trust.verdict(tool) === 'voided' : now !== approved;
  }

  #whenBack(slot: ServerSlot, signal: AbortSignal | undefined): () => Promise<void> {
    return () => this.#servers.whenSettled([slot.config.id], signal, PATIENCE_MS);
  }
}
