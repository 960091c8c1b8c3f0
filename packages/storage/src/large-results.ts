import type { JsonValue, ToolContentPart, ToolResult } from '@toolyard/protocol';

/**
 * So many characters of the parts of a tool result are stored with it, and as many of its structured content; the rest is
 * stored once, as a file. A model receives at most 100,000 of them.
 */
export const MAX_INLINE_TEXT = 262_144;
/** Media of more bytes is stored as a file of its own, never within a row. */
export const MAX_INLINE_BYTES = 65_536;
/** The room of the parts; the notes about files take the rest, so that a stored result is not large again. */
const ROOM = MAX_INLINE_TEXT - 4_096;
/** What a part takes besides its texts. */
const PART = 64;
/** A beginning with less says nothing. */
const SHORTEST_HEAD = 4_096;

/** Why something was not stored, in words that follow "left out: ". */
export type NotKept = { refused: string };
export type KeptFile = { sha256: string };

/**
 * Replaces what is too large of a result, in whichever parts it is, by its beginning, and the whole by files that only the
 * user sees: every store, event and request then holds the small form. Returns a small result unchanged.
 */
export async function textsToFiles(result: ToolResult, keep: KeepText): Promise<ToolResult> {
  if (!hasLargeText(result)) return result;
  const content = await fitting(result.content, keep);
  const { structured, ...rest } = result;
  if (structured === undefined || !isLarge(structured)) return { ...result, content };
  const text = JSON.stringify(structured);
  // Structured content repeats the text for programs: its beginning is of use only where there is no text.
  const hasText = content.some(({ type }) => type === 'text');
  const length = Math.max(SHORTEST_HEAD, ROOM - sizeOfAll(content));
  const [head, ...file] = await headAndFile({ type: 'text', text }, { mimeType: 'application/json', keep, length });
  return { ...rest, content: [...content, ...(hasText && file.length > 0 ? [] : [head]), ...file] };
}

type KeepText = (text: string, mimeType: string) => Promise<KeptFile | NotKept>;

/** The parts that fit. A large text leaves a quarter of the room to those after it; the others share one file. */
async function fitting(parts: readonly ToolContentPart[], keep: KeepText): Promise<ToolContentPart[]> {
  const content: ToolContentPart[] = [];
  let left = ROOM;
  for (const [at, part] of parts.entries()) {
    const size = getSize(part);
    const text = part.type === 'text' || part.type === 'resource' ? part.text : undefined;
    const head = Math.floor((left * 3) / 4) - (size - (text?.length ?? 0));
    if (size <= left) {
      content.push(part);
      left -= size;
    } else if (text !== undefined && head >= SHORTEST_HEAD) {
      const mimeType = part.type === 'resource' ? (part.mimeType ?? 'text/plain') : 'text/plain';
      content.push(...(await headAndFile({ ...part, text }, { mimeType, keep, length: head })));
      left -= Math.floor((left * 3) / 4);
    } else {
      return [...content, ...(await oneFile(parts.slice(at), keep))];
    }
  }
  return content;
}

/** True if a tool result has more than belongs into a row. */
export function hasLargeText({ content, structured }: ToolResult): boolean {
  return sizeOfAll(content) > MAX_INLINE_TEXT || (structured !== undefined && isLarge(structured));
}

function sizeOfAll(parts: readonly ToolContentPart[]): number {
  return parts.reduce((sum, part) => sum + getSize(part), 0);
}

/** The characters that a part takes in a row. Large media becomes a file anyway. */
function getSize(part: ToolContentPart): number {
  const { source, ...rest } = 'source' in part ? part : { ...part, source: undefined };
  const strings = Object.values(rest).reduce<number>((sum, value) => sum + String(value).length, PART);
  if (source === undefined) return strings;
  const isFile = 'data' in source && byteLength(source.data) > MAX_INLINE_BYTES;
  return strings + (isFile ? 0 : Object.values(source).join('').length);
}

/** The bytes that base64 stands for. */
export function byteLength(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

type WithText = ToolContentPart & { text: string };

async function headAndFile(
  part: WithText,
  { mimeType, keep, length }: { mimeType: string; keep: KeepText; length: number },
): Promise<[ToolContentPart, ...ToolContentPart[]]> {
  const { text } = part;
  const kept = await keep(text, mimeType);
  const head = wholeCharacters(text, length);
  const rest = 'refused' in kept ? `the rest was left out: ${kept.refused}` : 'the whole text is in the file below';
  const cut = { ...part, text: `${head}\n[${head.length} of ${text.length} characters; ${rest}]` };
  return 'refused' in kept ? [cut] : [cut, toFilePart(kept, mimeType)];
}

/** Parts that are too many or too large, in one file: their texts, or JSON if there is more to them. */
async function oneFile(parts: readonly ToolContentPart[], keep: KeepText): Promise<ToolContentPart[]> {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const isText = texts.length === parts.length;
  const mimeType = isText ? 'text/plain' : 'application/json';
  const kept = await keep(isText ? texts.join('\n') : JSON.stringify(parts), mimeType);
  const where = 'refused' in kept ? `were left out: ${kept.refused}` : 'are in the file below';
  const note = { type: 'text', text: `[${parts.length} more parts of the result ${where}]` } as const;
  return 'refused' in kept ? [note] : [note, toFilePart(kept, mimeType)];
}

function toFilePart({ sha256 }: KeptFile, mimeType: string): ToolContentPart {
  const name = mimeType === 'application/json' ? 'result.json' : 'result.txt';
  const file = { type: 'resource', uri: `file:${name}`, name, mimeType, source: { blob: sha256 } } as const;
  return { ...file, audience: ['user'] };
}

/** True if a value takes more characters as JSON, without writing it. */
function isLarge(value: JsonValue): boolean {
  let left = MAX_INLINE_TEXT;
  const visit = (each: JsonValue): boolean => {
    left -= typeof each === 'string' ? each.length : 4;
    if (left < 0) return true;
    if (typeof each !== 'object' || each === null) return false;
    if (Array.isArray(each)) return each.some(visit);
    return Object.entries(each).some(([key, inner]) => visit(key) || visit(inner));
  };
  return visit(value);
}

/** The beginning of a text without half a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.isWellFormed() ? head : head.slice(0, -1);
}
