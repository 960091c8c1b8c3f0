import { tokensOfText } from '@toolyard/agent-runtime';
import type { Message } from '@toolyard/protocol';
import { isMediaType } from '@toolyard/protocol';

/** Below this a conversation fits into every window, in tokens. */
const FITS_ANYWHERE = 2_000;

/** True where it matters what the model can take and read: then its provider is asked, if nothing is known of it. */
export function needsModelFacts(messages: readonly Message[]): boolean {
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
