import type { Frames } from './smooth-text.ts';
import { SmoothText } from './smooth-text.ts';

/** A hidden tab draws no frames, and would fall behind for as long as it is hidden. */
const browserFrames: Frames = {
  moves: () => !document.hidden && !matchMedia('(prefers-reduced-motion: reduce)').matches,
  next(callback) {
    const handle = requestAnimationFrame(callback);
    return () => cancelAnimationFrame(handle);
  },
};

/** A {@link SmoothText} at the pace of this window. */
export function smoothInBrowser(begun: string, show: (text: string) => void): SmoothText {
  return new SmoothText(browserFrames, begun, show);
}
