import type { ApiError } from '../../api/error.ts';

/** What the server sends for a URL: the image, or the URL on another host that it was redirected to. */
export type Loaded = { image: Blob } | { redirect: string };

export type ImageLoadDeps = {
  /** Throws ApiError. */
  fetch: (url: string) => Promise<Loaded>;
  hosts: { has(host: string): boolean; allow(host: string): void };
  createAddress: (image: Blob) => string;
  revokeAddress: (address: string) => void;
};

export type ImageState =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'shown'; address: string }
  | { kind: 'failed'; error: ApiError };

/** Images that load at the same time. */
const AT_ONCE = 2;
/** Loaded images that are kept without being shown. */
const MAX_KEPT = 50;
const MAX_REDIRECTS = 5;

/** An image of an answer at the URL of another host. */
export class RemoteImage {
  state: ImageState = $state.raw({ kind: 'idle' });
  /** The URL to load next: that of the text, or the one its host redirects to. */
  url: string = $state('');
  /** Places in the page that show it. */
  places = 0;

  constructor(url: string) {
    this.url = url;
  }

  /** The host that gets a request. */
  get host(): string {
    return new URL(this.url).host;
  }
}

/**
 * The images of this page by URL: the same image in several places, or in a text that is rendered again, is loaded once.
 *
 * Rule: a host gets a request only if the user loaded an image of that host before; a redirect to another host asks again.
 */
export class ImageLoads {
  readonly #deps: ImageLoadDeps;
  readonly #images = new Map<string, RemoteImage>();
  readonly #waiting: RemoteImage[] = [];
  #loading = 0;

  constructor(deps: ImageLoadDeps) {
    this.#deps = deps;
  }

  /** To be shown in one more place, until {@link leave}. */
  enter(url: string): RemoteImage {
    const image = this.#images.get(url) ?? new RemoteImage(url);
    // The newest is the last.
    this.#images.delete(url);
    this.#images.set(url, image);
    image.places += 1;
    return image;
  }

  leave(image: RemoteImage): void {
    image.places -= 1;
    const unused = [...this.#images].filter(([, { places }]) => places === 0);
    for (const [url, { state }] of unused.slice(0, -MAX_KEPT)) {
      if (state.kind === 'shown') this.#deps.revokeAddress(state.address);
      this.#images.delete(url);
    }
  }

  /** The user's request: from now on images of this host are loaded without one. */
  request(image: RemoteImage): void {
    this.#deps.hosts.allow(image.host);
    if (image.state.kind === 'idle' || image.state.kind === 'failed') this.#enqueue(image);
  }

  /** Loads it if the user allowed its host. */
  loadIfAllowed(image: RemoteImage): void {
    if (image.state.kind === 'idle' && this.#deps.hosts.has(image.host)) this.#enqueue(image);
  }

  #enqueue(image: RemoteImage): void {
    image.state = { kind: 'loading' };
    this.#waiting.push(image);
    this.#next();
  }

  #next(): void {
    if (this.#loading >= AT_ONCE) return;
    const image = this.#waiting.shift();
    if (image === undefined) return;
    this.#loading += 1;
    void this.#load(image).finally(() => {
      this.#loading -= 1;
      this.#next();
    });
  }

  async #load(image: RemoteImage): Promise<void> {
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const loaded = await this.#deps.fetch(image.url);
        if ('image' in loaded) {
          image.state = { kind: 'shown', address: this.#deps.createAddress(loaded.image) };
          return;
        }
        image.url = loaded.redirect;
        if (!this.#deps.hosts.has(image.host)) break;
      }
      image.state = { kind: 'idle' };
    } catch (thrown) {
      image.state = { kind: 'failed', error: thrown as ApiError };
    }
  }
}
