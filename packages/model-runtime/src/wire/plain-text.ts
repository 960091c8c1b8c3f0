import type { TextStage } from '../text-stage.ts';
import type { StreamPart } from '../types.ts';

/** What the text of an answer passes through on its way out. */
export type TextPath = Pick<TextStage, 'push' | 'end' | 'breakOff'>;

/** Text that holds nothing but text: of an API that tells thinking and calls apart by itself. */
export const plainText: TextPath = {
  push: (text: string, out: StreamPart[]) => {
    out.push({ type: 'text', text });
  },
  end: () => 0,
  breakOff: () => undefined,
};
