import type { MediaSource, ResourcePart, ToolContentPart } from '@toolyard/protocol';
import { showHidden, textOfSource } from '@toolyard/protocol';
import { plainType, mediaKind } from './media-content.ts';
import type { MediaContent } from './media-content.ts';
import { jsonIn } from './pretty-json.ts';

/**
 * How a content part of a result is shown: hidden characters in titles, URLs, types and descriptions are escaped.
 * Nothing remote is ever loaded, only linked.
 */
export type ContentView =
  | { kind: 'text'; text: string }
  | { kind: 'json'; json: string }
  | ({ kind: 'image' | 'audio' | 'video'; media: MediaContent; name: string; title: string } & OfResource)
  /** Offered as a download only. */
  | ({ kind: 'file'; media: MediaContent; name: string; title: string; uri: string | null } & OfResource)
  | ({
      kind: 'document';
      text: string;
      json: string | null;
      name: string;
      title: string;
      uri: string;
      mimeType: string;
    } & OfResource)
  | ({
      kind: 'link';
      title: string;
      description: string | null;
      mimeType: string | null;
      address: LinkAddress;
    } & OfResource);

/** The resource that is shown or named; null for other content. */
type OfResource = { resource: ResourcePart | null };

/** `web`: a URL a browser can open, with its host to show. */
type LinkAddress = { kind: 'web'; href: string; host: string } | { kind: 'other'; uri: string };

export function contentView(part: ToolContentPart): ContentView {
  switch (part.type) {
    case 'text': {
      const json = jsonIn(part.text);
      return json === null ? { kind: 'text', text: part.text } : { kind: 'json', json };
    }
    case 'resource': {
      const { source, text = textIn(part) } = part;
      const uri = showHidden(part.uri);
      const title = showHidden(part.title ?? part.name ?? part.uri);
      const name = getFileName(part.name ?? part.uri);
      if (text !== undefined) {
        return {
          kind: 'document',
          text,
          json: jsonIn(text),
          name,
          title,
          uri,
          mimeType: showHidden(part.mimeType ?? 'text/plain'),
          resource: part,
        };
      }
      if (source !== undefined) {
        return mediaView(part.mimeType ?? 'application/octet-stream', source, { name, title, uri, resource: part });
      }
      const { description, mimeType } = part;
      return {
        kind: 'link',
        title,
        description: description === undefined ? null : showHidden(description),
        mimeType: mimeType === undefined ? null : showHidden(mimeType),
        address: readAddress(part.uri),
        resource: part,
      };
    }
    default:
      return mediaView(part.mimeType, part.source, { name: part.type, title: part.type, uri: null, resource: null });
  }
}

/** Characters of base64. */
const MAX_DECODED = 200_000;

/** Text that a server sends as bytes; undefined if they are no text. */
function textIn({ mimeType = '', source }: ResourcePart): string | undefined {
  if (source === undefined || !('data' in source) || source.data.length > MAX_DECODED) return undefined;
  const text = textOfSource(source, mimeType);
  return text === null || text.includes('\ufffd') ? undefined : text;
}

/** Decodes base64; null if it is invalid. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    return bytes;
  } catch {
    return null;
  }
}

/** The last segment of a name or URL, without characters that have a meaning in file systems. */
export function getFileName(name: string): string {
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
  { name, title, uri, resource }: { name: string; title: string; uri: string | null } & OfResource,
): ContentView {
  if ('url' in source) {
    return {
      kind: 'link',
      title: uri === null ? showHidden(source.url) : title,
      description: null,
      mimeType: showHidden(mimeType),
      address: readAddress(source.url),
      resource,
    };
  }
  const kind = mediaKind(mimeType);
  if (kind === undefined) return { kind: 'file', media: { mimeType, source }, name, title, uri, resource };
  return { kind, media: { mimeType: plainType(mimeType), source }, name, title, resource };
}

function readAddress(uri: string): LinkAddress {
  const url = URL.parse(uri);
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return isWeb ? { kind: 'web', href: url.href, host: url.host } : { kind: 'other', uri: showHidden(uri) };
}
