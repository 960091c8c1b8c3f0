import type { ErrorInfo, JsonObject, JsonValue, ToolChange, ToolDifference, ToolReference } from '@toolyard/protocol';
import { canonicalJson, defined, isJsonObject } from '@toolyard/protocol';
import { hostedIdentity } from '../hosted/hosted-config.ts';
import type { ListedTool } from './read-tool.ts';
import { sha256 } from '../values/sha256.ts';
import type { SandboxSettings } from '../config/sandbox-settings.ts';
import type { ServerConfig, TransportConfig } from '../types.ts';
import { toPreview } from '../log/wire-log.ts';
import { readUrl } from '../values/read-url.ts';
import { isSecretName } from '../values/secret-name.ts';

/** What was approved of a tool: its definition and its endpoint. */
export type ToolPin = {
  /** SHA-256 of the definition and the endpoint. */
  hash: string;
  /** SHA-256 of the endpoint without secrets; empty if the tool was approved without being listed. */
  endpoint: string;
  /** The approved definition, to show a later change. */
  definition: JsonObject;
};

/** `endpoint`: its {@link endpointHash}, if only another process knows the whole configuration. */
export type PinnedServer = Pick<ServerConfig, 'id' | 'transport'> & { endpoint?: string };

/** Stores pins by `server/tool`; a `Map` will do. Its owner decides how long pins are kept. */
export type PinStore = Pick<Map<string, ToolPin>, 'get' | 'set' | 'delete'>;

/** An approval that no longer applies, and why. */
export type VoidedApproval = ToolChange & { tool: ToolReference };

const MAX_DIFFERENCES = 50;

/**
 * Compares approved tools with what servers offer now. A tool whose definition or endpoint changed after its approval
 * is blocked until a user who has seen the differences approves it again.
 *
 * @example
 * const trust = new ToolTrust(new Map());
 * trust.approve(server, listed);
 * trust.verdict({ serverId: server.id, name: listed.name }); // 'approved'
 */
export class ToolTrust {
  readonly #pins: PinStore;
  readonly #voided = new Map<string, VoidedApproval>();
  readonly #reviewed = new Map<string, { server: PinnedServer; tools: ReadonlyMap<string, ListedTool> }>();
  readonly #listeners = new Set<(voided: VoidedApproval) => void>();

  constructor(pins: PinStore) {
    this.#pins = pins;
  }

  /** Pins a tool with its current definition, or with the one that has this hash; a later change asks again. */
  approve(server: PinnedServer, tool: ListedTool, definition?: string): void {
    const key = getKey(server.id, tool.name);
    const now = pinOf(server, tool);
    this.#voided.delete(key);
    if (definition === undefined || definition === now.hash) {
      this.#pins.set(key, now);
      return;
    }
    this.approveUnseen({ serverId: server.id, name: tool.name }, definition);
    this.#reviewTool(server, tool);
  }

  /** Pins a tool that is not listed now; an earlier pinned definition is kept. */
  approveUnseen({ serverId, name }: ToolReference, definition: string): void {
    const key = getKey(serverId, name);
    if (this.#pins.get(key)?.hash !== definition) this.#pins.set(key, unseenPin(definition));
    this.#voided.delete(key);
  }

  /** The hash of how a server is reached, for a process that does not know its configuration. */
  getEndpoint({ transport }: Pick<ServerConfig, 'transport'>): string {
    return endpointHash(transport);
  }

  /** Compares a pin that its owner changed with the tool as last listed. */
  reviewAgain({ serverId, name }: ToolReference): void {
    this.#voided.delete(getKey(serverId, name));
    const { server, tools } = this.#reviewed.get(serverId) ?? {};
    const tool = tools?.get(name);
    if (server !== undefined && tool !== undefined) this.#reviewTool(server, tool);
  }

  /** The differences since the approval; undefined if there are none or the tool was never approved. */
  findChange({ serverId, name }: ToolReference): VoidedApproval | undefined {
    return this.#voided.get(getKey(serverId, name));
  }

  /** `approved`: unchanged since its approval; `voided`: changed since; `unknown`: never approved. */
  verdict({ serverId, name }: ToolReference): 'approved' | 'voided' | 'unknown' {
    const key = getKey(serverId, name);
    if (this.#voided.has(key)) return 'voided';
    return this.#pins.get(key) === undefined ? 'unknown' : 'approved';
  }

  /** Approvals that no longer apply, with the differences. */
  voided(): VoidedApproval[] {
    return [...this.#voided.values()];
  }

  /** Subscribes to approvals that become void; the returned function unsubscribes. */
  onVoided(listener: (voided: VoidedApproval) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reviews a tool list, unless it was reviewed already. */
  review(server: PinnedServer, tools: ReadonlyMap<string, ListedTool>): void {
    if (this.#reviewed.get(server.id)?.tools === tools) return;
    this.#reviewed.set(server.id, { server, tools });
    for (const tool of tools.values()) this.#reviewTool(server, tool);
  }

  #reviewTool(server: PinnedServer, tool: ListedTool): void {
    const key = getKey(server.id, tool.name);
    const approved = this.#pins.get(key);
    if (approved === undefined) return;
    const now = pinOf(server, tool);
    if (approved.hash === now.hash) {
      // The tool changed back, or one that was approved elsewhere is listed here for the first time.
      if (approved.endpoint === '') this.#pins.set(key, now);
      this.#voided.delete(key);
      return;
    }
    const voided: VoidedApproval = {
      tool: { serverId: server.id, name: tool.name },
      hasMoved: approved.endpoint !== '' && approved.endpoint !== now.endpoint,
      differences: listDifferences(approved.definition, now.definition),
    };
    this.#voided.set(key, voided);
    for (const listener of this.#listeners) listener(voided);
  }
}

function getKey(serverId: string, name: string): string {
  return `${serverId}/${name}`;
}

const hashes = new WeakMap<ListedTool, { server: PinnedServer; hash: string }>();

/**
 * The hash of a tool as listed now, computed once per listed tool.
 *
 * @example
 * const isSame = definitionHash(server, listed) === definitionHash(server, approved);
 */
export function definitionHash(server: PinnedServer, tool: ListedTool): string {
  const known = hashes.get(tool);
  if (known?.server === server) return known.hash;
  const { hash } = pinOf(server, tool);
  hashes.set(tool, { server, hash });
  return hash;
}

/**
 * The pin of a tool that was approved without being listed.
 *
 * @example
 * pins.set('files/delete', unseenPin(definition));
 */
export function unseenPin(definition: string): ToolPin {
  return { hash: definition, endpoint: '', definition: {} };
}

/**
 * The pin of a tool as listed now.
 *
 * @example
 * pins.set('files/delete', pinOf(server, listed));
 */
export function pinOf(server: PinnedServer, tool: ListedTool): ToolPin {
  const { name, title, description, inputSchema, outputSchema, annotations, endpoint: calls } = tool;
  const definition: JsonObject = {
    name,
    inputSchema,
    ...defined({ title, description, outputSchema, annotations, endpoint: calls }),
  };
  const endpoint = server.endpoint ?? endpointHash(server.transport);
  return { hash: sha256(canonicalJson({ endpoint, definition })), endpoint, definition };
}

/** SHA-256 of everything that decides what runs, without keys. */
function endpointHash(transport: TransportConfig): string {
  return sha256(canonicalJson(getEndpoint(transport)));
}

/**
 * The rule: **a lasting approval is for everything that decides what runs**. Only its hash is stored, so values of `env`
 * count too: `NODE_OPTIONS` or `PATH` run other code under the same command. Headers, settings and parameters of a URL
 * choose a tenant, a mode or a version of a remote server, so they count, but a value that can only be a key does not: with
 * a new key it is the same server.
 */
function getEndpoint(transport: TransportConfig): JsonObject {
  switch (transport.type) {
    case 'stdio': {
      const { command, args = [], cwd = null, env = {}, sandbox = false } = transport;
      return {
        command,
        args,
        cwd,
        ...pickValues({ env: { ...env } }),
        ...(sandbox === false ? {} : { sandbox: decidingPart(sandbox) }),
      };
    }
    case 'http':
    case 'sse':
    case 'websocket': {
      const { type, url, headers = {} } = transport;
      return { type, ...describeAddress(url), ...pickValues({ headers: choices(headersIn(headers)) }) };
    }
    case 'hosted':
      return hostedIdentity(transport);
    case 'plugin': {
      const { url, gateway, settings = {} } = transport;
      return {
        plugin: describeAddress(url),
        ...(gateway === undefined ? {} : { gateway: describeAddress(gateway) }),
        ...pickValues({ settings: choices(Object.entries(settings)) }),
      };
    }
    case 'in-memory':
      return { name: transport.name };
  }
}

function describeAddress(text: string): JsonObject {
  const url = readUrl(text);
  if (url === null) return { url: text };
  const query = choices([...url.searchParams]);
  return { url: `${url.protocol}//${url.host}${url.pathname}`, ...pickValues({ query }) };
}

/** In the form in which they are sent. */
function headersIn(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]);
}

/** The values by name, without keys. */
function choices(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    if (!isSecretName(name)) found.set(name, [...(found.get(name) ?? []), value]);
  }
  return Object.fromEntries(found);
}

/** How much a sandbox lets its server use decides nothing about what runs. */
function decidingPart({ limits: _limits, ...settings }: SandboxSettings): JsonObject {
  return { ...settings };
}

/** Nothing, if there is no value. */
function pickValues(values: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, each]) => Object.keys(each).length > 0));
}

function listDifferences(before: JsonObject, after: JsonObject): ToolDifference[] {
  const found: ToolDifference[] = [];
  const compare = (path: string, one: JsonValue | undefined, other: JsonValue | undefined): void => {
    if (found.length >= MAX_DIFFERENCES) return;
    if (isJsonObject(one) && isJsonObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        compare(path === '' ? key : `${path}.${key}`, own(one, key), own(other, key));
      }
      return;
    }
    if (toText(one) === toText(other)) return;
    found.push({
      path,
      ...(one === undefined ? {} : { before: toPreview(one) }),
      ...(other === undefined ? {} : { after: toPreview(other) }),
    });
  };
  compare('', before, after);
  return found;
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function toText(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

/** The error for a tool that differs from its approved definition. */
export function changedSince({ serverId, name }: ToolReference): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `The tool "${name}" of "${serverId}" changed after you approved it.`,
    hint: 'Review the changes and approve it again.',
  };
}
