import type { JsonValue, ToolContentPart, ToolResult } from '@toolyard/protocol';

/** A text of a tool result with more characters is stored once, as a file. A model receives at most 100,000 of them. */
export const MAX_INLINE_TEXT = 262_144;

/** Why something was not stored, in words that follow "left out: ". */
export type NotKept = { refused: string };
export type KeptFile = { sha256: string };

/**
 * Replaces each large text and the structured content of a result by its beginning, and the whole by a file that only the
 * user sees: every store, event and request then holds the small form. Returns a small result unchanged.
 */
export async function textsToFiles(
  result: ToolResult,
  keep: (text: string, mimeType: string) => Promise<KeptFile | NotKept>,
): Promise<ToolResult> {
  if (!hasLargeText(result)) return result;
  const content: ToolContentPart[] = [];
  for (const part of result.content) {
    const text = textOf(part);
    if (text === undefined || text.length <= MAX_INLINE_TEXT || part.type === 'image' || part.type === 'audio') {
      content.push(part);
      continue;
    }
    const mimeType = part.type === 'resource' ? (part.mimeType ?? 'text/plain') : 'text/plain';
    content.push(...(await headAndFile({ ...part, text }, mimeType, keep)));
  }
  const { structured, ...rest } = result;
  if (structured === undefined || !isLarge(structured)) return { ...result, content };
  const text = JSON.stringify(structured);
  // Structured content repeats the text for programs: its beginning is of use only where there is no text.
  const hasText = content.some(({ type }) => type === 'text');
  const [head, ...file] = await headAndFile({ type: 'text', text }, 'application/json', keep);
  return { ...rest, content: [...content, ...(hasText && file.length > 0 ? [] : [head]), ...file] };
}

/** True if a tool result has a text that belongs in a file. */
export function hasLargeText({ content, structured }: ToolResult): boolean {
  return (
    content.some((part) => (textOf(part)?.length ?? 0) > MAX_INLINE_TEXT) ||
    (structured !== undefined && isLarge(structured))
  );
}

type WithText = ToolContentPart & { text: string };

async function headAndFile(
  part: WithText,
  mimeType: string,
  keep: (text: string, mimeType: string) => Promise<KeptFile | NotKept>,
): Promise<[ToolContentPart, ...ToolContentPart[]]> {
  const { text } = part;
  const kept = await keep(text, mimeType);
  const head = wholeCharacters(text, MAX_INLINE_TEXT);
  const rest = 'refused' in kept ? `the rest was left out: ${kept.refused}` : 'the whole text is in the file below';
  const cut = { ...part, text: `${head}\n[${head.length} of ${text.length} characters; ${rest}]` };
  if ('refused' in kept) return [cut];
  const name = mimeType === 'application/json' ? 'result.json' : 'result.txt';
  const file = { type: 'resource', uri: `file:${name}`, name, mimeType, source: { blob: kept.sha256 } } as const;
  return [cut, { ...file, audience: ['user'] }];
}

function textOf(part: ToolContentPart): string | undefined {
  return part.type === 'text' || part.type === 'resource' ? part.text : undefined;
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
