/** The first bytes of each type, as characters; `.` stands for any byte. */
const SIGNATURES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  // Text may begin with these letters.
  ['image/bmp', /^BM(?=.{0,12}[\0-\x08])/s],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['image/x-icon', /^\0\0[\x01\x02]\0/],
  ['image/jp2', /^\0\0\0\x0cjP/],
  ['image/jxl', /^(?:\xff\x0a|\0\0\0\x0cJXL)/],
  // The brand is the first one, or one of those it is compatible with.
  ['image/avif', /^.{4}ftyp(?:.{4}){0,9}?avi[fs]/s],
  ['image/heic', /^.{4}ftyp(?:.{4}){0,9}?he(?:ic|ix|vc|im|is)/s],
  ['image/heif', /^.{4}ftyp(?:mif1|msf1)/s],
  ['image/vnd.adobe.photoshop', /^8BPS/],
  ['image/svg+xml', /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>/]/is],
  ['application/pdf', /^.{0,1000}?%PDF-/s],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/aac', /^\xff[\xf0\xf1\xf8\xf9]/],
  // Without layer I, whose first bytes are those of text in UTF-16.
  ['audio/mpeg', /^(?:ID3|\xff[\xe2-\xe5\xf2-\xf5\xfa-\xfd])/],
  ['audio/flac', /^fLaC/],
  ['audio/ogg', /^OggS/],
  ['audio/aiff', /^FORM.{4}AIF[FC]/s],
  ['audio/amr', /^#!AMR/],
  ['audio/midi', /^MThd/],
  ['audio/mp4', /^.{4}ftypM4[ABP]/s],
  ['video/quicktime', /^.{4}ftypqt/s],
  ['video/mp4', /^.{4}ftyp/s],
  ['video/webm', /^\x1aE\xdf\xa3/],
  ['video/x-msvideo', /^RIFF.{4}AVI /s],
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

/** Labels that say nothing. */
const GENERIC =
  /^$|\/\*$|^(?:application|binary)\/(?:octet-stream|x-binary|binary|unknown|x-unknown|download|force-download)$/;

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
  const isLabelledText = isTextType(labelled) && labelled !== 'image/svg+xml';
  // A sentence may begin like a signature.
  if (isLabelledText && hasTextOnly(head, label)) return labelled;
  const found = SIGNATURES.find(([, pattern]) => pattern.test(head))?.[0];
  if (found === undefined) {
    if (isLabelledText || isSigned(labelled) || /^(?:image|audio|video)\/\*$/.test(labelled)) return null;
    if (!GENERIC.test(labelled)) return labelled;
    if (isText(head)) return 'text/plain';
    return labelled.includes('*') || labelled === '' ? null : labelled;
  }
  const isContainer = /^(?:audio\/ogg|audio\/mp4|video\/(?:mp4|webm|quicktime))$/.test(found);
  const isNamed = /^(?:audio|video)\/[^*]/.test(labelled) && !isSignedOtherwise(labelled);
  return isContainer && isNamed ? labelled : found;
}

/** True for types whose bytes are text. */
export function isTextType(mimeType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|javascript)\b/i.test(mimeType);
}

/** True for the first bytes of text: of UTF-8, or of UTF-16 with a byte order mark. */
export function isText(head: string): boolean {
  if (head === '' || !hasTextOnly(head, '')) return false;
  if (isUtf16(head)) return true;
  try {
    const bytes = Uint8Array.from(head, (char) => char.charCodeAt(0));
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** True unless there are bytes that occur in no text, of whatever encoding. */
function hasTextOnly(head: string, label: string): boolean {
  return isUtf16(head) || /charset=["']?utf-?(?:16|32)/i.test(label) || !/[\0-\x06\x0e-\x1a\x1c-\x1f]/.test(head);
}

function isUtf16(head: string): boolean {
  return /^(?:\xff\xfe|\xfe\xff)/.test(head);
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
