import type { JsonObject, JsonValue, MediaSource, ResourcePart, ToolContentPart, ToolResult } from '@toolyard/protocol';
import { base64Of, isJsonObject, readMediaData } from '@toolyard/protocol';
import { isTooDeep, TOO_DEEP } from '../values/depth.ts';

/**
 * Reads the result of `tools/call`. Every content type is kept; unreadable content is replaced by a text that says so,
 * because the call itself has been executed.
 */
export function readToolResult(raw: unknown): ToolResult {
  if (!isJsonObject(raw)) {
    return {
      content: [unreadable('The tool returned something that is not a tool result.')],
      isError: true,
      outcome: 'done',
    };
  }
  const result: ToolResult = { content: readContent(raw), isError: raw['isError'] === true, outcome: 'done' };
  const structured = raw['structuredContent'] ?? undefined;
  if (isTooDeep(structured)) result.content.push(unreadable(`The structured content is ${TOO_DEEP} and was left out.`));
  else if (structured !== undefined) result.structured = structured;
  return result;
}

function readContent(raw: JsonObject): ToolContentPart[] {
  const content = raw['content'] ?? undefined;
  if (content !== undefined) return [content].flat().map((block) => readBlock(block, 'The tool'));
  // Servers of 2024-10-07 return one value of any type here.
  const old = raw['toolResult'] ?? undefined;
  if (old !== undefined) return [{ type: 'text', text: typeof old === 'string' ? old : JSON.stringify(old) }];
  return [];
}

/** Reads one content block; an unreadable one becomes a text that says so. `who` sent it: `The tool`. */
export function readBlock(block: JsonValue, who: string): ToolContentPart {
  if (typeof block === 'string') return { type: 'text', text: block };
  if (!isJsonObject(block)) return unreadable(`${who} returned a content block that cannot be read.`);
  const part = readKind(block, who);
  const annotations = block['annotations'];
  return isJsonObject(annotations) ? withAnnotations(part, annotations) : part;
}

function readKind(block: JsonObject, who: string): ToolContentPart {
  const { type } = block;
  switch (type) {
    case 'text':
      return typeof block['text'] === 'string' ? { type, text: block['text'] } : broken(type, who);
    case 'image':
    case 'audio': {
      const media = readMedia(block['data'], block['mimeType']);
      return media === undefined ? broken(type, who) : { type, mimeType: `${type}/*`, ...media };
    }
    case 'resource_link':
      return readResource(block, undefined) ?? broken(type, who);
    case 'resource': {
      const resource = block['resource'];
      if (!isJsonObject(resource)) return broken(type, who);
      return readResource(resource, readMedia(resource['blob'], resource['mimeType'])) ?? broken(type, who);
    }
    default:
      return unreadable(`${who} returned content of type "${getTypeName(type)}", which Toolyard does not know.`);
  }
}

/** Bytes with their type, if it is known. */
type BlockMedia = { source: MediaSource; mimeType?: string };

/**
 * Reads the bytes of a block; undefined without any. Rule: what arrives here is stored and shown as it is, so it is plain
 * base64 with its real type; what cannot be read stays as it was sent.
 */
export function readMedia(content: JsonValue | undefined, label: JsonValue | undefined): BlockMedia | undefined {
  const text = readText(content);
  if (text === undefined) return undefined;
  const named = typeof label === 'string' && label.trim() !== '' ? { mimeType: label.slice(0, MAX_TYPE) } : {};
  if (/^\s*https?:\/\//i.test(text)) return { ...named, source: { url: text.trim() } };
  const media = readMediaData(text, named.mimeType ?? '');
  return 'problem' in media
    ? { ...named, source: { data: text } }
    : { mimeType: media.mimeType, source: { data: media.data } };
}

const MAX_TYPE = 200;

/** Base64, or a buffer of Node.js as JSON. */
function readText(content: JsonValue | undefined): string | undefined {
  if (typeof content === 'string') return content;
  const bytes = isJsonObject(content) ? content['data'] : content;
  if (!Array.isArray(bytes) || !bytes.every((byte) => typeof byte === 'number')) return undefined;
  return base64Of(Uint8Array.from(bytes));
}

/** Reads a resource; undefined without a URI. */
export function readResource(raw: JsonObject, media: BlockMedia | undefined): ResourcePart | undefined {
  const { uri } = raw;
  if (typeof uri !== 'string') return undefined;
  const part: ResourcePart = { type: 'resource', uri };
  if (typeof raw['name'] === 'string') part.name = raw['name'];
  if (typeof raw['title'] === 'string') part.title = raw['title'];
  if (typeof raw['description'] === 'string') part.description = raw['description'];
  if (typeof raw['mimeType'] === 'string') part.mimeType = raw['mimeType'];
  if (typeof raw['text'] === 'string') part.text = raw['text'];
  if (media !== undefined) Object.assign(part, media);
  return part;
}

function withAnnotations(part: ToolContentPart, annotations: JsonObject): ToolContentPart {
  const { audience, priority } = annotations;
  if (Array.isArray(audience)) part.audience = audience.filter((who) => who === 'user' || who === 'assistant');
  if (typeof priority === 'number') part.priority = priority;
  return part;
}

function getTypeName(type: JsonValue | undefined): string {
  return typeof type === 'string' ? type.slice(0, 60) : 'none';
}

function broken(type: string, who: string): ToolContentPart {
  return unreadable(`${who} returned content of type "${type}" without its required fields.`);
}

function unreadable(text: string): ToolContentPart {
  return { type: 'text', text: `[${text}]` };
}
