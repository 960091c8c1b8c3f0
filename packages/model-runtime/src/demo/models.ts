import { throwIfAborted } from '../abort.ts';
import type { ModelInfo } from '../types.ts';

/** The demo's models; neither is a language model. */
export const DEMO_MODELS: readonly ModelInfo[] = [
  { id: 'demo', ownedBy: 'Toolyard (demo, not a language model)' },
  { id: 'demo-text', ownedBy: 'Toolyard (demo, not a language model; writes its tool calls as text)' },
];

export function demoModels(signal: AbortSignal | undefined): ModelInfo[] {
  throwIfAborted(signal);
  return DEMO_MODELS.map((model) => ({ ...model }));
}
