/** The first bytes of each type, as characters; `.` stands for any byte. */
const SIGNATURES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/bmp', /^BM/],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['image/x-icon', /^\0\0\x01\0/],
  ['image/avif', /^.{4}ftypavi[fs]/s],
  ['image/heic', /^.{4}ftyphe(?:ic|ix|vc|im|is)/s],
  ['image/heif', /^.{4}ftyp(?:mif1|msf1)/s],
  ['image/vnd.adobe.photoshop', /^8BPS/],
  ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>/]/is],
  ['application/pdf', /^.{0,1000}?%PDF-/s],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/aac', /^\xff[\xf0\xf1\xf8\xf9]/],
  ['audio/mpeg', /^(?:ID3|\xff[\xe2-\xef\xf2-\xf7\xfa-\xff])/],
  ['audio/flac', /^fLaC/],
  ['audio/ogg', /^OggS/],
  ['audio/aiff', /^FORM.{4}AIF[FC]/s],
  ['audio/mp4', /^.{4}ftypM4A/s],
  ['video/quicktime', /^.{4}ftypqt/s],
  ['video/mp4', /^.{4}ftyp/s],
  ['video/webm', /^\x1aE\xdf\xa3/],
  ['text/html', /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)\b/i],
];

/** Formats that a browser draws in an `<img>`, where nothing is executed and nothing else is loaded. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']);

/** Other names of types that have a signature. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-ms-bmp': 'image/bmp',
  'image/svg': 'image/svg+xml',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/x-flac': 'audio/flac',
  'audio/x-aiff': 'audio/aiff',
  'application/x-pdf': 'application/pdf',
};

/**
 * The type of bytes, whatever their label says; null if the label is wrong and the type unknown. A label counts only for
 * types without a signature, such as text, and for containers: files of Matroska and Ogg contain audio or video. The one
 * table of types by bytes: files for models, icons of servers and images at remote URLs are judged by it.
 *
 * @param head the first bytes, one character each
 * @param label a MIME type, or an empty string
 * @example
 * mediaTypeOf('GIF89a', 'image/png') // 'image/gif'
 */
export function mediaTypeOf(head: string, label: string): string | null {
  const plain = label.split(';')[0]?.trim().toLowerCase() ?? '';
  const labelled = ALIASES[plain] ?? plain;
  // A sentence may begin like a signature.
  if (/^text\/|[/+](json|yaml|javascript)$/.test(labelled) && !/[\0\x89\xff]/.test(head.slice(0, 16))) return labelled;
  const found = SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
  if (found === undefined) return labelled === '' || labelled === 'image/*' || isSigned(labelled) ? null : labelled;
  const isContainer = /^(?:audio\/ogg|audio\/mp4|video\/(?:mp4|webm|quicktime))$/.test(found);
  return isContainer && /^(?:audio|video)\//.test(labelled) && !isSignedOtherwise(labelled) ? labelled : found;
}

/**
 * The type of an image that every browser draws, by its bytes; null for anything else. SVG is among them: it may only be
 * shown by an `<img>`, because a document of its own executes its scripts.
 *
 * @param head the first bytes, one character each
 * @example
 * imageTypeOf('GIF89a') // 'image/gif'
 */
export function imageTypeOf(head: string): string | null {
  const type = mediaTypeOf(head, '');
  return type !== null && DRAWN.has(type) ? type : null;
}

function isSigned(type: string): boolean {
  return SIGNATURES.some(([each]) => each === type);
}

/** True for types that never are in a container of audio or video. */
function isSignedOtherwise(type: string): boolean {
  return /^audio\/(?:wav|mpeg|aac|flac|aiff)$/.test(type);
}
