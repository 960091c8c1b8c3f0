import type { ContextFill } from '@toolyard/protocol';

type PartName = keyof ContextFill['parts'];

export type Meter = {
  /** Share of the window, from 0 to 1. */
  share: number;
  percent: number;
  /** `near`: compaction follows soon. `full`: with the next request. */
  state: 'calm' | 'near' | 'full';
  /** The non-empty segments with their share of the window. */
  parts: readonly { name: PartName; tokens: number; share: number }[];
};

/** Compaction starts at this share, as in the agent loop. */
const FULL = 0.8;
const NEAR = 0.65;

const ORDER: readonly PartName[] = ['instructions', 'tools', 'messages', 'results'];

/** Context usage as drawn. */
export function toMeter({ tokens, window, parts }: ContextFill): Meter {
  const of = (count: number): number => (window > 0 ? Math.min(1, count / window) : 1);
  const share = of(tokens);
  return {
    share,
    // A non-empty segment has a visible width.
    percent: share > 0 ? Math.max(1, Math.round(share * 100)) : 0,
    state: share >= FULL ? 'full' : share >= NEAR ? 'near' : 'calm',
    parts: ORDER.flatMap((name) => (parts[name] > 0 ? [{ name, tokens: parts[name], share: of(parts[name]) }] : [])),
  };
}
