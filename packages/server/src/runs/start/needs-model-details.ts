import { tokensOfText } from '@toolyard/agent-runtime';
import type { Message } from '@toolyard/protocol';
import { isMediaType } from '@toolyard/protocol';

/** A conversation below this size fits every context window, in tokens. */
const FITS_ANYWHERE = 2_000;

/** True if the limits of the model matter; its provider is queried then, if they are unknown. */
export function needsModelDetails(messages: readonly Message[]): boolean {
  let tokens = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      if (isMediaType(part.type)) return true;
      tokens += part.type === 'text' ? tokensOfText(part.text) : 500;
      if (tokens > FITS_ANYWHERE) return true;
    }
  }
  return false;
}
