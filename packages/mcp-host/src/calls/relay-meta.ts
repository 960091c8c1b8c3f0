import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { Caller } from '../types.ts';

/**
 * The `_meta` members that Toolyard processes exchange when one reaches a server through the other. They are removed
 * before a request reaches a server, and ignored when a server sends them.
 */
const PREFIX = 'toolyard/';
const CALLER = `${PREFIX}caller`;
const WAITS_FOR = `${PREFIX}waitsFor`;
const MAY_BELONG_TO = `${PREFIX}mayBelongTo`;

/** True for a name in `_meta` that is not meant for servers. */
export function isRelayMeta(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The parameters of a request with its caller added. */
export function withCaller(params: JsonObject, caller: Caller | undefined): JsonObject {
  return caller === undefined ? params : withMeta(params, CALLER, toJson(caller));
}

function toJson({ roots, ...caller }: Caller): JsonObject {
  return { ...caller, ...(roots === undefined ? {} : { roots: [...roots] }) };
}

export function callerIn(meta: JsonValue | undefined): Caller | undefined {
  const caller = isJsonObject(meta) ? meta[CALLER] : undefined;
  if (!isJsonObject(caller)) return undefined;
  const { principal, conversationId, roots } = caller;
  return {
    ...(typeof principal === 'string' ? { principal } : {}),
    ...(typeof conversationId === 'string' ? { conversationId } : {}),
    ...(Array.isArray(roots) ? { roots: roots.filter((uri) => typeof uri === 'string') } : {}),
  };
}

/** The parameters of a server request with the conversations it may belong to. */
export function withConversations(params: JsonObject, mayBelongTo: readonly string[] | undefined): JsonObject {
  return mayBelongTo === undefined ? params : withMeta(params, MAY_BELONG_TO, [...mayBelongTo]);
}

export function conversationsIn({ _meta: meta }: JsonObject): string[] | undefined {
  return idsIn(meta, MAY_BELONG_TO);
}

/** `_meta` of progress: the conversations a call waits for. */
export function waitMeta(waitsFor: readonly string[] | undefined): { _meta?: JsonObject } {
  return waitsFor === undefined ? {} : { _meta: { [WAITS_FOR]: [...waitsFor] } };
}

export function conversationsWaitedFor(meta: unknown): string[] | undefined {
  return idsIn(meta, WAITS_FOR);
}

function idsIn(meta: unknown, name: string): string[] | undefined {
  const ids = isJsonObject(meta) ? meta[name] : undefined;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : undefined;
}

function withMeta(params: JsonObject, name: string, value: JsonValue): JsonObject {
  const { _meta: meta } = params;
  return { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), [name]: value } };
}
