import type { Message, TextCall } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { WrittenAsText } from '@toolyard/model-runtime';
import type { RequestInputs } from '../executors/assemble-request.ts';
import type { CopiedCall, FoldedText } from './find-copy.ts';
import { findCopy, foldTexts } from './find-copy.ts';
import { untrustedTexts } from './untrusted-texts.ts';

/** Decides about what a model wrote as a call: null if it is text and nothing else. */
export type TextCallJudge = (text: WrittenAsText, call?: Omit<CopiedCall, 'raw'>) => TextCall | null;

/**
 * Data never becomes a call by being copied: text is no call if the model calls tools natively, and a call that occurs
 * in data of its request, in a quote or in code is one only if the user says so.
 */
export function createTextCallJudge(of: {
  /** The messages as they are sent. */
  messages: readonly Message[];
  inputs: Pick<RequestInputs, 'sources' | 'tools' | 'conversation' | 'model'>;
}): TextCallJudge {
  const { messages, inputs } = of;
  let folded: FoldedText[] | undefined;
  return ({ raw, toolMode, position, isNative = false }, call) => {
    if (toolMode === 'native' && (isNative || hasCalledNatively(inputs))) return null;
    if (!call) return {};
    folded ??= foldTexts(untrustedTexts(messages, inputs));
    return defined({ copiedFrom: findCopy({ ...call, raw }, folded), position });
  };
}

/** Native calls have the provider's id; those that Toolyard adds for a user or a group have none. */
function hasCalledNatively({ conversation, model }: Pick<RequestInputs, 'conversation' | 'model'>): boolean {
  return conversation.some(
    (message) =>
      message.role === 'assistant' &&
      message.model === model &&
      message.parts.some(
        (part) => part.type === 'tool_call' && part.providerCallId !== undefined && part.isText !== true,
      ),
  );
}
