/**
 * A fetch with protection against SSRF: URLs that the operator configured may lead anywhere, all others only to the
 * public internet.
 * @module
 */
export { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';
export type { OpenGuardedWebSocket } from './websocket.ts';
export type { GuardedUpgrade, Upgraded } from './upgrade.ts';
export { readBody } from './read-body.ts';
export { trustSameHost, trustOrigins } from './trust.ts';
export { isRefusedAddress, type RefusalReason } from './address.ts';
export { checkUrl } from './check-url.ts';
export type { Resolve } from './lookup.ts';
