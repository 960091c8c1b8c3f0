import { api } from '../api/client.ts';

let known: Promise<string | null> | undefined;

/**
 * The origin of frames; null: that of the page, with an opaque origin. It does not change while the page is open: the
 * policy of the page names it.
 */
export function iframeOrigin(): Promise<string | null> {
  known ??= api.get('/props').then(({ frame_origin }) => frame_origin);
  known.catch(() => (known = undefined));
  return known;
}

/** URL of the outer document. */
export function outerUrl(origin: string | null, page: string): string {
  return `${origin ?? page}/frame/outer?page=${encodeURIComponent(page)}`;
}

/** Abilities that the content of a frame may ask the user for, by the names of MCP Apps. */
const FEATURES = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const;
export type IframePermission = keyof typeof FEATURES;

/** The attribute `allow` of both frames. Focus is never taken without a click of the user. */
export function allowAttribute(permissions: readonly IframePermission[]): string {
  return [...permissions.map((each) => `${FEATURES[each]} *`), "focus-without-user-activation 'none'"].join('; ');
}
