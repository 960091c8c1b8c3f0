import type { live } from './live.svelte.ts';

type Live = Pick<typeof live, 'onChanged' | 'onHello' | 'status'>;
type Change = Parameters<Parameters<Live['onChanged']>[0]>[0];

/** Has what a store shows loaded, and loaded again whenever one of these things has changed. */
export function keepUp(stream: Live, whats: readonly Change['what'][], load: () => void): void {
  stream.onHello(load);
  stream.onChanged(({ what }) => {
    if (whats.includes(what)) load();
  });
  // Otherwise the first word of the stream loads it.
  if (stream.status === 'open') load();
}
