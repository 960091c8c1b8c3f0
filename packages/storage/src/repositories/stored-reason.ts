import type { TextTemplates } from '@toolyard/protocol';
import { isJsonObject, readTemplates } from '@toolyard/protocol';
import { decodeJson, encodeJson } from '../text.ts';

type Reason = { reason: string | null; templates?: TextTemplates };

/** The column `reason`: JSON of a text with its template. */
export function encodeReason({ reason, templates }: Reason): string | null {
  return reason === null ? null : encodeJson({ reason, ...(templates === undefined ? {} : { templates }) });
}

export function decodeReason(stored: string | null): Reason {
  const value = stored === null ? null : decodeJson(stored);
  if (!isJsonObject(value) || typeof value['reason'] !== 'string') return { reason: null };
  const templates = readTemplates(value['templates']);
  return { reason: value['reason'], ...(templates === undefined ? {} : { templates }) };
}
