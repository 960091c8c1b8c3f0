import type { MediaSource, MediaType, UserPart } from '@toolyard/protocol';
import { defined, isMediaPart } from '@toolyard/protocol';
import { notFound, quoted, refusal } from './problems.ts';

/**
 * What a schema cannot say of the parts a person sends.
 *
 * @param isKept whether the person has a file of this sha256: only their own can be attached
 * @throws ProblemAnswer 400 or 404
 */
export async function checkParts(
  parts: readonly UserPart[],
  isKept: (sha256: string) => Promise<boolean>,
): Promise<void> {
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw refusal({ code: 'bad_request', message: 'The message is empty.' });
  }
  for (const [index, part] of parts.entries()) {
    if (isMediaPart(part)) checkType(part.type, part.mimeType, index);
    if ('source' in part && part.source !== undefined) await checkSource(part.source, `parts.${index}`, isKept);
  }
}

/** What calls itself an image and is none is refused by the model's provider, at every message from then on. */
function checkType(kind: MediaType, mimeType: string, index: number): void {
  if (mimeType.toLowerCase().startsWith(`${kind}/`)) return;
  const message = `The type of an attached ${kind} must begin with ${kind}/; this is ${quoted(mimeType)}.`;
  throw refusal({ code: 'bad_request', message }, { issues: [{ path: `parts.${index}.mimeType`, message }] });
}

/**
 * What a schema cannot say of where bytes are; `path` tells where in the body.
 *
 * @throws ProblemAnswer 400 or 404
 */
export async function checkSource(
  source: MediaSource,
  path: string,
  isKept: (sha256: string) => Promise<boolean>,
): Promise<void> {
  const refuse = (message: string, hint?: string) =>
    refusal({ code: 'bad_request', message, ...defined({ hint }) }, { issues: [{ path: `${path}.source`, message }] });
  if ('blob' in source) {
    if (!(await isKept(source.blob))) throw notFound('file', source.blob);
  } else if ('url' in source) {
    if (!/^https?:\/\//i.test(source.url) || !URL.canParse(source.url)) {
      throw refuse('The address of an attachment must begin with https:// or http://.');
    }
  } else if (!/^[A-Za-z0-9+/]*={0,2}$/.test(source.data)) {
    throw refuse(
      'The data of an attachment is not base64.',
      'Upload it with POST /api/files and name it by its sha256.',
    );
  }
}
