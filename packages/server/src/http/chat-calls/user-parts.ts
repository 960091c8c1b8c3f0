import type { MediaSource, MediaType, ToolContentPart, UserPart } from '@toolyard/protocol';
import { defined, isMediaPart, say } from '@toolyard/protocol';
import { notFound, quoted, refusal } from '../problems.ts';

/**
 * Validates user parts beyond the schema.
 *
 * @param isKept whether the user has a file with this sha256: only own files can be attached
 * @throws ProblemAnswer 400 or 404
 */
export async function checkParts(
  parts: readonly UserPart[],
  isKept: (sha256: string) => Promise<boolean>,
): Promise<void> {
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw refusal({ code: 'bad_request', message: say`The message is empty.` });
  }
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'prompt') await checkPart(part, `parts.${index}`, isKept);
    else {
      for (const [at, { content }] of part.messages.entries()) {
        await checkPart(content, `parts.${index}.messages.${at}.content`, isKept);
      }
    }
  }
}

async function checkPart(
  part: UserPart | ToolContentPart,
  path: string,
  isKept: (sha256: string) => Promise<boolean>,
): Promise<void> {
  if (isMediaPart(part)) checkType(part.type, part.mimeType, path);
  if ('source' in part && part.source !== undefined) await checkSource(part.source, path, isKept);
}

/** Providers reject a file whose type does not fit its kind, in this and every later request of the conversation. */
function checkType(kind: MediaType, mimeType: string, path: string): void {
  if (mimeType.toLowerCase().startsWith(`${kind}/`)) return;
  const message = `The type of an attached ${kind} must begin with ${kind}/ (got ${quoted(mimeType)}).`;
  throw refusal({ code: 'bad_request', message }, { issues: [{ path: `${path}.mimeType`, message }] });
}

/**
 * Validates where the bytes of a part come from; `path` is its place in the body.
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
      throw refuse('The URL of an attachment must begin with https:// or http://.');
    }
  } else if (!/^[A-Za-z0-9+/]*={0,2}$/.test(source.data)) {
    throw refuse(
      'The data of an attachment is not valid base64.',
      'Upload it with POST /api/files and reference it by its sha256.',
    );
  }
}
