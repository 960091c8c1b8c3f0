import type { ModelInfo } from '../types.ts';

/** What the demo offers; neither is a language model. */
export const DEMO_MODELS: readonly ModelInfo[] = [
  { id: 'demo', ownedBy: 'Toolyard (demo, no language model)' },
  { id: 'demo-text', ownedBy: 'Toolyard (demo, no language model; writes its tool calls as text)' },
];
