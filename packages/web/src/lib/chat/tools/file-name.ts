/** Names that Windows reserves for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const MAX_LENGTH = 100;

/** The last part of a path or name that is not trusted, as the name of a file; may be empty. */
export function safeFileName(path: string): string {
  const [last = ''] = path.split(/[/\\]/).slice(-1);
  const name = last
    .replace(/[^\p{L}\p{N}._ +-]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(-MAX_LENGTH);
  return RESERVED.test(name) ? `_${name}` : name;
}
