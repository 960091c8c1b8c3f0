import { isFrameSource } from '@toolyard/protocol';

/** Requests to one origin that the policy of a frame blocked. */
export type BlockedOrigin = {
  /** As a frame policy names it. */
  source: string;
  /** Name and port, in full: international names in their encoded form. */
  host: string;
  count: number;
  /** False for a name that no policy can contain, such as an IPv6 address. */
  canAllow: boolean;
};

/** Origins that are listed; a document can invent any number. */
const MAX_ORIGINS = 30;

/** Adds a blocked request; what is not a request to a host changes nothing. */
export function addBlocked(before: readonly BlockedOrigin[], url: string): readonly BlockedOrigin[] {
  const parsed = URL.parse(url);
  if (parsed === null || !/^(?:https?|wss?):$/.test(parsed.protocol)) return before;
  const source = `${parsed.protocol}//${parsed.host}`;
  const known = before.find((one) => one.source === source);
  if (known !== undefined) return before.map((one) => (one === known ? { ...one, count: one.count + 1 } : one));
  if (before.length >= MAX_ORIGINS) return before;
  return [...before, { source, host: parsed.host, count: 1, canAllow: isFrameSource(source) }];
}

const PRIVATE =
  /^(?:127|10|0)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** True for a name of this device or its network, whose services trust what is near. */
export function isLocal(host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  if (/^[\d.]+$/.test(name)) return PRIVATE.test(name);
  return !name.includes('.') || /\.(?:local|localhost|internal|home|lan)$/.test(name);
}
