/**
 * What the content of a frame may reach on the network. Each entry is an origin, such as `https://cdn.example.com`,
 * `https://*.example.com` or `wss://example.com:8443`; empty lists mean none. The server turns them into the
 * `Content-Security-Policy` header of the content's document.
 */
export type FramePolicy = {
  /** Requests of scripts, such as `fetch` and `WebSocket`. */
  readonly connect: readonly string[];
  /** Scripts, styles, images, fonts and media. */
  readonly resources: readonly string[];
  /** Frames inside the content. */
  readonly frames: readonly string[];
  /** Where `<base>` may point. */
  readonly baseUris: readonly string[];
};

/** The default: no network at all. */
export const NO_NETWORK: FramePolicy = { connect: [], resources: [], frames: [], baseUris: [] };

/** Names of the lists in the query of the content's document. */
const QUERY_NAMES = { connect: 'connect', resources: 'resource', frames: 'frame', baseUris: 'base' } as const;
const LISTS = Object.keys(QUERY_NAMES) as (keyof FramePolicy)[];

/** Keeps the request line far below the 16 kB at which Node rejects a request. */
const MAX_SOURCES = 64;
const SOURCE =
  /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/;

/**
 * True for an origin that a policy may contain. Anything else could end its directive in the header (`;`, quotes,
 * spaces, line breaks) or allow more than one host (`https:`, `*`).
 */
export function isFrameSource(text: string): boolean {
  return text.length <= 200 && SOURCE.test(text);
}

/** The policy as parameters of a query, without a leading `?` or `&`; empty for no network. */
export function frameQuery(policy: FramePolicy): string {
  const query = new URLSearchParams();
  for (const list of LISTS) for (const source of policy[list]) query.append(QUERY_NAMES[list], source);
  return query.toString();
}

/** The policy in a query, or the reason why it is invalid. */
export function readFrameQuery(query: URLSearchParams): FramePolicy | string {
  const policy = { connect: [], resources: [], frames: [], baseUris: [] } as Record<keyof FramePolicy, string[]>;
  for (const list of LISTS) policy[list] = query.getAll(QUERY_NAMES[list]);
  const sources = LISTS.flatMap((list) => policy[list]);
  if (sources.length > MAX_SOURCES) return `The policy has ${sources.length} entries; the maximum is ${MAX_SOURCES}.`;
  const wrong = sources.find((source) => !isFrameSource(source));
  if (wrong === undefined) return policy;
  return `${JSON.stringify(wrong.slice(0, 100))} is not an origin such as "https://example.com".`;
}
