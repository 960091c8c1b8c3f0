import { mount, unmount } from 'svelte';
import { request } from '../../api/client.ts';
import { imageHosts } from './image-hosts.svelte.ts';
import type { Loaded, RemoteImage as Image } from './image-loads.svelte.ts';
import { ImageLoads } from './image-loads.svelte.ts';
import RemoteImage from './RemoteImage.svelte';

const loads = new ImageLoads({
  fetch: fetchImage,
  hosts: imageHosts,
  createAddress: (image) => URL.createObjectURL(image),
  revokeAddress: (address) => URL.revokeObjectURL(address),
});

function fetchImage(url: string): Promise<Loaded> {
  const body = JSON.stringify({ url });
  return request(
    '/api/images',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body },
    async (response) =>
      response.headers.get('content-type')?.startsWith('application/json') === true
        ? ((await response.json()) as { redirect: string })
        : { image: await response.blob() },
  );
}

/** Images near the visible part load by themselves, once their host is allowed. */
const NEAR = '400px';

type Place = { image: Image; end: () => void };

/**
 * Makes each link to an image of another host load it on click, in a text whose HTML may be replaced at any time.
 * `isOpen`: the text still grows, and loads nothing by itself. Returns what ends it.
 */
export function attachRemoteImages(text: HTMLElement, isOpen: boolean): () => void {
  const known = new WeakSet<HTMLAnchorElement>();
  const places = new Map<HTMLAnchorElement, Place>();
  // Others stay links: there may be thousands.
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) show(target as HTMLAnchorElement);
    },
    { rootMargin: NEAR },
  );

  function show(link: HTMLAnchorElement): void {
    const place = places.get(link) ?? enter(link);
    places.set(link, place);
    if (!isOpen) loads.loadIfAllowed(place.image);
  }

  function update(): void {
    for (const [link, place] of places) {
      if (text.contains(link)) continue;
      near.unobserve(link);
      places.delete(link);
      place.end();
    }
    for (const link of text.querySelectorAll<HTMLAnchorElement>('a.md-image')) {
      if (known.has(link)) continue;
      known.add(link);
      near.observe(link);
    }
  }

  /** The others of a host that was allowed just now. */
  function observeAgain(): void {
    for (const link of places.keys()) {
      near.unobserve(link);
      near.observe(link);
    }
  }

  function onclick(event: MouseEvent): void {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>('a.md-image');
    const place = link === null ? undefined : places.get(link);
    if (place === undefined || place.image.state.kind === 'shown') return;
    event.preventDefault();
    loads.request(place.image);
    observeAgain();
  }

  /** Its role is that of a button. */
  function onkeydown(event: KeyboardEvent): void {
    if (event.key !== ' ' || !(event.target as Element).matches('a.md-image[role=button]')) return;
    event.preventDefault();
    (event.target as HTMLAnchorElement).click();
  }

  const changes = new MutationObserver(update);
  changes.observe(text, { childList: true, subtree: true });
  text.addEventListener('click', onclick);
  text.addEventListener('keydown', onkeydown);
  update();
  return () => {
    changes.disconnect();
    near.disconnect();
    text.removeEventListener('click', onclick);
    text.removeEventListener('keydown', onkeydown);
    for (const { end } of places.values()) end();
    places.clear();
  };
}

function enter(link: HTMLAnchorElement): Place {
  const image = loads.enter(link.href);
  link.replaceChildren();
  const shown = mount(RemoteImage, { target: link, props: { image, alt: link.title, link } });
  return {
    image,
    end() {
      void unmount(shown);
      loads.leave(image);
    },
  };
}
