import type { TextStage } from '../text-stage.ts';
import type { StreamPart } from '../types.ts';

/** Processes the text of an answer. */
export type TextPath = Pick<TextStage, 'push' | 'end' | 'breakOff'>;

/** Passes text through: for APIs that separate thinking and calls themselves. */
export const plainText: TextPath = {
  push: (text: string, out: StreamPart[]) => {
    out.push({ type: 'text', text });
  },
  end: () => 0,
  breakOff: () => undefined,
};
