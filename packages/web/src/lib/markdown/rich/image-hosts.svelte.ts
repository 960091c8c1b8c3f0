import type { JsonValue } from '@toolyard/protocol';
import { SvelteSet } from 'svelte/reactivity';
import { browserValue } from '../../browser-storage.ts';

/** Hosts that are kept; the oldest are forgotten. */
const MAX_HOSTS = 200;

const kept = browserValue<string[]>('image-hosts', { version: 1, read: readHosts, fallback: [] });

/** The hosts whose images in answers are loaded, because the user loaded one of them. In this browser only. */
class ImageHosts {
  readonly #hosts = new SvelteSet<string>(kept.get());

  constructor() {
    kept.watch((hosts) => {
      this.#hosts.clear();
      for (const host of hosts) this.#hosts.add(host);
    });
  }

  get all(): readonly string[] {
    return [...this.#hosts].toSorted();
  }

  has(host: string): boolean {
    return this.#hosts.has(host);
  }

  allow(host: string): void {
    this.#hosts.add(host);
    kept.set([...this.#hosts].slice(-MAX_HOSTS));
  }

  withdraw(host: string): void {
    this.#hosts.delete(host);
    kept.set([...this.#hosts]);
  }
}

export const imageHosts = new ImageHosts();

function readHosts(value: JsonValue): string[] | undefined {
  return Array.isArray(value) ? value.filter((host) => typeof host === 'string') : undefined;
}
