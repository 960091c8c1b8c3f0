import type { Frames } from './smooth-text.ts';

let reduced: MediaQueryList | undefined;

/** Animation frames of this window. A hidden tab has none, so text there waits until the tab is visible. */
export const browserFrames: Frames = {
  moves: () => !document.hidden && !(reduced ??= matchMedia('(prefers-reduced-motion: reduce)')).matches,
  next(callback) {
    const handle = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(handle);
  },
};
