import type { MediaSource, ToolContentPart } from '@toolyard/protocol';
import { jsonIn } from './pretty-json.ts';

/** Bytes this server has: in the message itself, or in its store. */
export type HeldMedia = { mimeType: string; source: Exclude<MediaSource, { url: string }> };

/** What a piece of a result is shown as. Nothing that lies elsewhere is ever loaded: it is at most a link. */
export type ContentView =
  | { kind: 'text'; text: string }
  | { kind: 'json'; json: string }
  | { kind: 'image' | 'audio' | 'video'; media: HeldMedia; name: string }
  /** To be saved, not shown. */
  | { kind: 'file'; media: HeldMedia; name: string; title: string; uri: string | null }
  | { kind: 'document'; text: string; json: string | null; name: string; title: string; uri: string; mimeType: string }
  | { kind: 'link'; title: string; description: string | null; mimeType: string | null; address: LinkAddress };

/** `web`: one a browser can go to, with its host to be named. */
export type LinkAddress = { kind: 'web'; href: string; host: string } | { kind: 'other'; uri: string };

/** What every browser shows without running anything in it; the server serves these in place, others to be saved. */
const SHOWN: ReadonlyMap<string, 'image' | 'audio' | 'video'> = new Map([
  ['image/png', 'image'],
  ['image/jpeg', 'image'],
  ['image/gif', 'image'],
  ['image/webp', 'image'],
  ['image/avif', 'image'],
  ['audio/mpeg', 'audio'],
  ['audio/mp4', 'audio'],
  ['audio/aac', 'audio'],
  ['audio/ogg', 'audio'],
  ['audio/wav', 'audio'],
  ['audio/wave', 'audio'],
  ['audio/x-wav', 'audio'],
  ['audio/webm', 'audio'],
  ['audio/flac', 'audio'],
  ['video/mp4', 'video'],
  ['video/webm', 'video'],
  ['video/ogg', 'video'],
]);

export function contentView(part: ToolContentPart): ContentView {
  switch (part.type) {
    case 'text': {
      const json = jsonIn(part.text);
      return json === null ? { kind: 'text', text: part.text } : { kind: 'json', json };
    }
    case 'image':
    case 'audio':
      return mediaView(part.mimeType, part.source, { name: part.type, title: part.type, uri: null });
    case 'resource': {
      const { uri, source, text } = part;
      const title = part.title ?? part.name ?? uri;
      const name = fileNameOf(part.name ?? uri);
      if (text !== undefined) {
        return {
          kind: 'document',
          text,
          json: jsonIn(text),
          name,
          title,
          uri,
          mimeType: part.mimeType ?? 'text/plain',
        };
      }
      if (source !== undefined) {
        return mediaView(part.mimeType ?? 'application/octet-stream', source, { name, title, uri });
      }
      const { description = null, mimeType = null } = part;
      return { kind: 'link', title, description, mimeType, address: addressOf(uri) };
    }
  }
}

/** The address a browser loads held bytes from. */
export function mediaAddress({ mimeType, source }: HeldMedia, fileUrl: (sha256: string) => string): string {
  return 'blob' in source ? fileUrl(source.blob) : `data:${plainType(mimeType)};base64,${source.data}`;
}

/** The bytes of base64; null where it is none. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    return bytes;
  } catch {
    return null;
  }
}

/** The last part of a name or an address, without what file systems read as something else. */
export function fileNameOf(name: string): string {
  const [path = ''] = name.split(/[?#]/);
  const last = path.split(/[/\\:]+/).findLast((part) => part.trim() !== '') ?? '';
  const clean = last
    .toWellFormed()
    .replaceAll(UNSAFE, '')
    .replace(/^[. ]+|[. ]+$/g, '');
  return clean === '' ? 'file' : clean.slice(0, 120);
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu;

function mediaView(
  mimeType: string,
  source: MediaSource,
  { name, title, uri }: { name: string; title: string; uri: string | null },
): ContentView {
  if ('url' in source) {
    return {
      kind: 'link',
      title: uri === null ? source.url : title,
      description: null,
      mimeType,
      address: addressOf(source.url),
    };
  }
  const media = { mimeType, source };
  const kind = SHOWN.get(plainType(mimeType));
  return kind === undefined ? { kind: 'file', media, name, title, uri } : { kind, media, name };
}

function addressOf(uri: string): LinkAddress {
  const url = URL.parse(uri);
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return isWeb ? { kind: 'web', href: url.href, host: url.host } : { kind: 'other', uri };
}

/** Without parameters, as `audio/ogg; codecs=opus` has them. */
function plainType(mimeType: string): string {
  return mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
