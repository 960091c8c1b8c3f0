import type { ProviderView } from '@toolyard/protocol';

/** The built-in provider, always available. */
export const DEMO = {
  id: 'demo',
  label: 'Demo (no language model)',
  origin: 'built-in',
  baseUrl: null,
  hasKey: false,
  wire: null,
} as const satisfies ProviderView;
