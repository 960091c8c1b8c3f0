import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/error.ts';
import type { Loaded } from './image-loads.svelte.ts';
import { ImageLoads } from './image-loads.svelte.ts';

const IMAGE: Loaded = { image: new Blob() };

function setUp(answers: Readonly<Record<string, Loaded | ApiError>> = {}) {
  const hosts = new Set<string>();
  const requested: string[] = [];
  const revoked: string[] = [];
  const held: (() => void)[] = [];
  let addresses = 0;
  const loads = new ImageLoads({
    async fetch(url) {
      requested.push(url);
      await new Promise<void>((resolve) => held.push(resolve));
      const answer = answers[url] ?? IMAGE;
      if (answer instanceof ApiError) throw answer;
      return answer;
    },
    hosts: { has: (host) => hosts.has(host), allow: (host) => void hosts.add(host) },
    createAddress: () => `blob:${String((addresses += 1))}`,
    revokeAddress: (address) => revoked.push(address),
  });
  /** Lets all requests end, also those that follow. */
  async function end(): Promise<void> {
    for (let idle = 0; idle < 20; idle += 1) {
      for (const release of held.splice(0)) release();
      await Promise.resolve();
    }
  }
  return { loads, hosts, requested, revoked, end };
}

describe('images of other hosts', () => {
  it('requests nothing before the user asks, and then all of that host only', async () => {
    const { loads, requested, end } = setUp();
    const [first, second, other] = ['https://a.example/1', 'https://a.example/2', 'https://a.example:81/3'].map((url) =>
      loads.enter(url),
    );
    if (!first || !second || !other) throw new Error('no images');
    loads.loadIfAllowed(first);
    expect(requested).toEqual([]);
    loads.request(first);
    for (const image of [first, second, other]) loads.loadIfAllowed(image);
    await end();
    expect(requested).toEqual(['https://a.example/1', 'https://a.example/2']);
    expect([first, second, other].map(({ state }) => state.kind)).toEqual(['shown', 'shown', 'idle']);
  });

  it('asks again for the host of a redirect, and follows to an allowed one', async () => {
    const { loads, hosts, requested, end } = setUp({
      'https://a.example/1': { redirect: 'https://b.example/2' },
      'https://b.example/2': { redirect: 'https://c.example/3' },
    });
    hosts.add('c.example');
    const image = loads.enter('https://a.example/1');
    loads.request(image);
    await end();
    expect(requested).toEqual(['https://a.example/1']);
    expect(image.state.kind).toBe('idle');
    expect(image.host).toBe('b.example');
    loads.request(image);
    await end();
    expect(requested.slice(1)).toEqual(['https://b.example/2', 'https://c.example/3']);
    expect(image.state.kind).toBe('shown');
  });

  it('ends after five redirects', async () => {
    const { loads, hosts, requested, end } = setUp({ 'https://a.example/': { redirect: 'https://a.example/' } });
    const image = loads.enter('https://a.example/');
    hosts.add('a.example');
    loads.loadIfAllowed(image);
    await end();
    expect(requested.length).toBe(6);
    expect(image.state.kind).toBe('idle');
  });

  it('loads two at a time, and each once', async () => {
    const { loads, requested, end } = setUp();
    const images = Array.from({ length: 5 }, (_, index) => loads.enter(`https://a.example/${String(index % 4)}`));
    for (const image of images) loads.request(image);
    expect(requested.length).toBe(2);
    await end();
    expect(requested.length).toBe(4);
    expect(images.every(({ state }) => state.kind === 'shown')).toBe(true);
  });

  it('says why an image was not loaded, and tries again on request only', async () => {
    const error = new ApiError({ code: 'bad_response', status: 502, detail: 'No image.' });
    const { loads, requested, end } = setUp({ 'https://a.example/1': error });
    const image = loads.enter('https://a.example/1');
    loads.request(image);
    await end();
    expect(image.state).toEqual({ kind: 'failed', error });
    loads.loadIfAllowed(image);
    expect(requested.length).toBe(1);
    loads.request(image);
    await end();
    expect(requested.length).toBe(2);
  });

  it('releases the data of images that have not been shown for long', async () => {
    const { loads, revoked, end } = setUp();
    const images = Array.from({ length: 60 }, (_, index) => loads.enter(`https://a.example/${String(index)}`));
    for (const image of images) loads.request(image);
    for (let rounds = 0; rounds < 30; rounds += 1) await end();
    expect(images.every(({ state }) => state.kind === 'shown')).toBe(true);
    for (const image of images) loads.leave(image);
    expect(revoked.length).toBe(10);
  });
});
