import { defined } from '@toolyard/protocol';
import { TextStage } from '../text-stage.ts';
import type { ChatRequest } from '../types.ts';
import { plainText, type TextPath } from './plain-text.ts';

export type TextOptions = {
  /** True if models may write thinking and calls as text although tools were offered natively. */
  always?: boolean;
  startsInReasoning?: boolean | undefined;
  newId?: (() => string) | undefined;
};

/** The text processing of an answer: none if the API itself separates thinking and calls from text. */
export function chooseText(request: ChatRequest, options: TextOptions): TextPath {
  const { always = false, startsInReasoning = false, newId } = options;
  if (!always && request.toolMode === 'native') return plainText;
  return new TextStage({ tools: request.tools, toolMode: request.toolMode, startsInReasoning, ...defined({ newId }) });
}
