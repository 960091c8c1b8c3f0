import type { ErrorInfo, JsonObject, JsonValue, ToolChange, ToolDifference, ToolReference } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject } from '@toolyard/protocol';
import { hostedIdentity } from '../hosted/hosted-config.ts';
import type { ListedTool } from './read-tool.ts';
import { sha256 } from '../values/sha256.ts';
import type { ServerConfig, TransportConfig } from '../types.ts';
import { previewOf } from '../log/wire-log.ts';
import { readUrl } from '../values/read-url.ts';

/** What was approved of a tool: what it said of itself, and where it was. */
export type ToolPin = {
  /** SHA-256 of the definition and the endpoint. */
  hash: string;
  /** SHA-256 of the way the server was reached, without secrets; empty where nobody has seen the tool as it was. */
  endpoint: string;
  /** The definition as it was, so that a change can be shown. */
  definition: JsonObject;
};

/** Where pins are kept, by `server/tool`; a `Map` is one. The owner decides what outlives the process. */
export type PinStore = Pick<Map<string, ToolPin>, 'get' | 'set' | 'delete'>;

/** An approval that no longer counts, and why. */
export type VoidedApproval = ToolChange & { tool: ToolReference };

const MOST_DIFFERENCES = 50;

/**
 * Holds what people approved against what servers offer now. A tool whose definition or endpoint has changed since is
 * not called any more, until somebody who has seen the difference approves it again.
 */
export class ToolTrust {
  readonly #pins: PinStore;
  readonly #voided = new Map<string, VoidedApproval>();
  readonly #reviewed = new Map<string, { server: ServerConfig; tools: ReadonlyMap<string, ListedTool> }>();
  readonly #listeners = new Set<(voided: VoidedApproval) => void>();

  constructor(pins: PinStore) {
    this.#pins = pins;
  }

  /**
   * Pins a tool as it is now, or as it was when it had this definition: what has changed since is asked about again.
   */
  approve(server: ServerConfig, tool: ListedTool, definition?: string): void {
    const key = keyOf(server.id, tool.name);
    const now = pinOf(server, tool);
    this.#voided.delete(key);
    if (definition === undefined || definition === now.hash) {
      this.#pins.set(key, now);
      return;
    }
    this.approveUnseen({ serverId: server.id, name: tool.name }, definition);
    this.#reviewTool(server, tool);
  }

  /** Pins a tool that is not offered just now; what is known of it as it was approved stays known. */
  approveUnseen({ serverId, name }: ToolReference, definition: string): void {
    const key = keyOf(serverId, name);
    if (this.#pins.get(key)?.hash !== definition) this.#pins.set(key, unseenPin(definition));
    this.#voided.delete(key);
  }

  /** The owner of the pins has changed this one: it is held against what was listed last. */
  reviewAgain({ serverId, name }: ToolReference): void {
    this.#voided.delete(keyOf(serverId, name));
    const { server, tools } = this.#reviewed.get(serverId) ?? {};
    const tool = tools?.get(name);
    if (server !== undefined && tool !== undefined) this.#reviewTool(server, tool);
  }

  /** What has changed of a tool since it was approved; undefined where nothing has, or it never was. */
  changeOf({ serverId, name }: ToolReference): VoidedApproval | undefined {
    return this.#voided.get(keyOf(serverId, name));
  }

  /** Approved and the same as then; approved and changed since; or never approved. */
  verdict({ serverId, name }: ToolReference): 'approved' | 'voided' | 'unknown' {
    const key = keyOf(serverId, name);
    if (this.#voided.has(key)) return 'voided';
    return this.#pins.get(key) === undefined ? 'unknown' : 'approved';
  }

  /** Approvals that no longer count, with what has changed. */
  voided(): VoidedApproval[] {
    return [...this.#voided.values()];
  }

  /** Calls back when an approval has become void; returns what ends that. */
  onVoided(listener: (voided: VoidedApproval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at a list of tools, if it is a new one. */
  review(server: ServerConfig, tools: ReadonlyMap<string, ListedTool>): void {
    if (this.#reviewed.get(server.id)?.tools === tools) return;
    this.#reviewed.set(server.id, { server, tools });
    for (const tool of tools.values()) this.#reviewTool(server, tool);
  }

  #reviewTool(server: ServerConfig, tool: ListedTool): void {
    const key = keyOf(server.id, tool.name);
    const approved = this.#pins.get(key);
    if (approved === undefined) return;
    const now = pinOf(server, tool);
    if (approved.hash === now.hash) {
      // It is again what it was; or what was approved elsewhere is seen here for the first time.
      if (approved.endpoint === '') this.#pins.set(key, now);
      this.#voided.delete(key);
      return;
    }
    const voided: VoidedApproval = {
      tool: { serverId: server.id, name: tool.name },
      hasMoved: approved.endpoint !== '' && approved.endpoint !== now.endpoint,
      differences: differencesOf(approved.definition, now.definition),
    };
    this.#voided.set(key, voided);
    for (const listener of this.#listeners) listener(voided);
  }
}

function keyOf(serverId: string, name: string): string {
  return `${serverId}/${name}`;
}

const hashes = new WeakMap<ListedTool, { server: ServerConfig; hash: string }>();

/** What stands for a tool as it is now. Worked out once for each listed tool. */
export function definitionHash(server: ServerConfig, tool: ListedTool): string {
  const known = hashes.get(tool);
  if (known?.server === server) return known.hash;
  const { hash } = pinOf(server, tool);
  hashes.set(tool, { server, hash });
  return hash;
}

/** What was approved where nobody could see the tool: what stood for it. */
export function unseenPin(definition: string): ToolPin {
  return { hash: definition, endpoint: '', definition: {} };
}

/** A tool as it is now, as it would be approved. */
export function pinOf(server: ServerConfig, tool: ListedTool): ToolPin {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const definition: JsonObject = {
    name,
    inputSchema,
    ...defined({ title, description, outputSchema, annotations }),
  };
  const endpoint = sha256(canonicalJson(endpointOf(server.transport)));
  return { hash: sha256(canonicalJson({ endpoint, definition })), endpoint, definition };
}

/** Values of headers and of the environment are secrets, and change without the server being another one. */
function endpointOf(transport: TransportConfig): JsonObject {
  switch (transport.type) {
    case 'stdio':
      return { command: transport.command, args: transport.args ?? [], cwd: transport.cwd ?? null };
    case 'http':
    case 'sse':
    case 'websocket': {
      const url = readUrl(transport.url);
      return { url: url === null ? transport.url : `${url.protocol}//${url.host}${url.pathname}` };
    }
    case 'hosted':
      return hostedIdentity(transport);
    case 'in-memory':
      return { name: transport.name };
  }
}

function differencesOf(before: JsonObject, after: JsonObject): ToolDifference[] {
  const found: ToolDifference[] = [];
  const compare = (path: string, one: JsonValue | undefined, other: JsonValue | undefined): void => {
    if (found.length >= MOST_DIFFERENCES) return;
    if (isJsonObject(one) && isJsonObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(path === '' ? key : `${path}.${key}`, own(one, key), own(other, key));
      }
      return;
    }
    if (textOf(one) === textOf(other)) return;
    found.push({
      path,
      ...(one === undefined ? {} : { before: previewOf(one) }),
      ...(other === undefined ? {} : { after: previewOf(other) }),
    });
  };
  compare('', before, after);
  return found;
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

/** Why a tool that is not what was approved is not called. */
export function changedSince({ serverId, name }: ToolReference): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `The tool "${name}" of "${serverId}" is no longer what was approved.`,
    hint: 'Look at what has changed, and approve it again if it is still wanted.',
  };
}
