import type { RunLimits } from './schemas/configuration.ts';

export const DEFAULT_LIMITS: RunLimits = { maxTurns: 20, onMaxTurns: 'answer', toolConcurrency: 8, maxSameCall: 10 };
