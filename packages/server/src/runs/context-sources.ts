import type { ContextSources } from '@toolyard/agent-runtime';
import { tokensOfText } from '@toolyard/agent-runtime';
import type { Message } from '@toolyard/protocol';
import type { ModelAbilities, ToolSelection } from '../services.ts';
import type { RunConfiguration } from './stored-run.ts';

/** Below this a conversation fits into every window, in tokens. */
const FITS_ANYWHERE = 2_000;

/** True where it matters what the model can take and read: then its provider is asked, if nothing is known of it. */
export function needsFacts(messages: readonly Message[]): boolean {
  let tokens = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'image' || part.type === 'audio') return true;
      tokens += part.type === 'text' ? tokensOfText(part.text) : 500;
      if (tokens > FITS_ANYWHERE) return true;
    }
  }
  return false;
}

/** What a request is made of beside the messages; the same object until the notes of a server change. */
export function sourcesOf(
  { historyMessages, inputTemplate, examples }: RunConfiguration,
  tools: Pick<ToolSelection, 'contextSources'>,
  { contextWindow, inputs }: ModelAbilities,
): () => ContextSources {
  let made: { of: ContextSources; sources: ContextSources } | null = null;
  return () => {
    const of = tools.contextSources();
    if (made?.of === of) return made.sources;
    const sources: ContextSources = {
      ...of,
      ...(contextWindow === undefined ? {} : { window: contextWindow }),
      ...(inputs ? { inputs } : {}),
      ...(historyMessages === undefined ? {} : { historyMessages }),
      ...(inputTemplate === undefined ? {} : { inputTemplate }),
      ...(examples ? { examples } : {}),
    };
    made = { of, sources };
    return sources;
  };
}
