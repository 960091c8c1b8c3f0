import type { RunLimits } from './schemas/configuration.ts';
import { defaultSettings } from './settings.ts';

export const DEFAULT_LIMITS: RunLimits = defaultSettings('limits');
