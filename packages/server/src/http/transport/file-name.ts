/** Characters that file systems or headers do not support, or interpret specially. */

const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;
/** Windows opens devices by these names, whatever the extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * `Content-Disposition` for a file with a title that users can choose.
 *
 * @param title any text, may be empty
 * @param untitled used for a title that cannot be a file name
 */
export function createAttachmentHeader(title: string, extension: string, untitled = 'conversation'): string {
  const name = `${fileName(title, untitled)}.${extension}`;
  const plain = name.replace(/[^\x20-\x7e]|%/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, percent)}`;
}

function fileName(title: string, untitled: string): string {
  const clean = title
    .toWellFormed()
    .replace(UNSAFE, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  const short = [...clean]
    .slice(0, 80)
    .join('')
    .replace(/[. ]+$/, '');
  return short === '' || DEVICE.test(short) ? untitled : short;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
