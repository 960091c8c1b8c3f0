/** Requests to one server that may be in progress at once, and that may be made in a minute, by all its apps. */
export const MAX_OPEN_REQUESTS = 16;
export const MAX_REQUESTS_PER_MINUTE = 120;
const MINUTE_MS = 60_000;

/** An app makes more requests than allowed; the message is for the app. */
export class TooManyRequests extends Error {}

/** Limits the requests of apps to one server: a permitted tool must not be called thousands of times unnoticed. */
export class RequestLimit {
  readonly #now: () => number;
  #times: number[] = [];
  #open = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @throws TooManyRequests without calling `request` */
  async run<T>(request: () => Promise<T>): Promise<T> {
    const now = this.#now();
    this.#times = this.#times.filter((at) => now - at < MINUTE_MS);
    if (this.#open >= MAX_OPEN_REQUESTS) {
      throw new TooManyRequests(`More than ${String(MAX_OPEN_REQUESTS)} requests to the server are in progress.`);
    }
    const [first] = this.#times;
    if (first !== undefined && this.#times.length >= MAX_REQUESTS_PER_MINUTE) {
      const seconds = Math.ceil((first + MINUTE_MS - now) / 1_000);
      throw new TooManyRequests(
        `More than ${String(MAX_REQUESTS_PER_MINUTE)} requests in a minute. Try again in ${String(seconds)} s.`,
      );
    }
    this.#times.push(now);
    this.#open += 1;
    try {
      return await request();
    } finally {
      this.#open -= 1;
    }
  }
}

const limits = new Map<string, RequestLimit>();

/** Shared by all apps of a server in this tab. */
export function getRequestLimit({ place, serverId }: { place: 'server' | 'tab'; serverId: string }): RequestLimit {
  const key = `${place} ${serverId}`;
  const known = limits.get(key) ?? new RequestLimit();
  limits.set(key, known);
  return known;
}
