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

/**
 * True for a name in `_meta` that is not meant for servers.
 *
 * @example
 * relayMeta.isRelayMeta('toolyard/caller'); // true
 */
export function isRelayMeta(name: string): boolean {
  return name.startsWith(PREFIX);
}

/**
 * The parameters of a request with its caller added.
 *
 * @example
 * const params = relayMeta.withCaller({ name: 'search' }, { conversationId: 'c' });
 * relayMeta.callerIn(params['_meta']); // { conversationId: 'c' }
 */
export function withCaller(params: JsonObject, caller: Caller | undefined): JsonObject {
  return caller === undefined ? params : withMeta(params, CALLER, toJson(caller));
}

function toJson({ roots, ...caller }: Caller): JsonObject {
  return { ...caller, ...(roots === undefined ? {} : { roots: [...roots] }) };
}

/**
 * The caller in the `_meta` of a request; undefined without one.
 *
 * @example
 * const caller = relayMeta.callerIn(params['_meta']);
 */
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

/**
 * The parameters of a server request with the conversations it may belong to.
 *
 * @example
 * const params = relayMeta.withConversations({}, ['c']);
 * relayMeta.conversationsIn(params); // ['c']
 */
export function withConversations(params: JsonObject, mayBelongTo: readonly string[] | undefined): JsonObject {
  return mayBelongTo === undefined ? params : withMeta(params, MAY_BELONG_TO, [...mayBelongTo]);
}

/**
 * The conversations that a server request may belong to, as its parameters name them; undefined if they do not.
 *
 * @example
 * const conversations = relayMeta.conversationsIn(params) ?? [];
 */
export function conversationsIn({ _meta: meta }: JsonObject): string[] | undefined {
  return idsIn(meta, MAY_BELONG_TO);
}

/**
 * `_meta` of progress: the conversations a call waits for.
 *
 * @example
 * relayMeta.conversationsWaitedFor(relayMeta.waitMeta(['c'])._meta); // ['c']
 */
export function waitMeta(waitsFor: readonly string[] | undefined): { _meta?: JsonObject } {
  return waitsFor === undefined ? {} : { _meta: { [WAITS_FOR]: [...waitsFor] } };
}

/**
 * The conversations that a call waits for, as the `_meta` of its progress names them; undefined if it does not.
 *
 * @example
 * const waitsFor = relayMeta.conversationsWaitedFor(progress['_meta']);
 */
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
