import type { Upstream } from '../support/start-upstream.ts';
import type { Options } from './options.ts';
import type { Place } from './place.ts';

/** What every part works with. */
export type Context = {
  place: Place;
  options: Options;
  upstream: Upstream;
  /** What the part does now, for a person who waits. */
  say: (text: string) => void;
};
