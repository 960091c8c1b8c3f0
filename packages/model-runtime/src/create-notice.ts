import { withTemplates, type AnyText } from '@toolyard/protocol';
import type { StreamPart } from './types.ts';

type Notice = Extract<StreamPart, { type: 'notice' }>;

/** Tells the user once, for example that a setting was left out. */
export function createNotice(code: string, text: AnyText): Notice {
  return withTemplates({ type: 'notice', code, text });
}
