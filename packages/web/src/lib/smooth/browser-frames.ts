import type { Frames } from './smooth-text.ts';

/** A hidden tab draws no frames, and would fall behind for as long as it is hidden. */
export const browserFrames: Frames = {
  moves: () => !document.hidden && !matchMedia('(prefers-reduced-motion: reduce)').matches,
  next(callback) {
    const handle = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(handle);
  },
};
