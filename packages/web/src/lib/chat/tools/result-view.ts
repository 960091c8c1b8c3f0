import type { JsonValue, ToolResult } from '@toolyard/protocol';
import { canonicalJson, parseJson } from '@toolyard/protocol';
import { contentView } from './content-view.ts';
import type { ContentView } from './content-view.ts';

/** The visible content of a result. */
export type ResultView = {
  content: readonly { view: ContentView; forModel: boolean }[];
  /** Absent if a text of the content has the same value. */
  structured?: string;
};

/** Larger values are not compared: that takes longer than showing both. */
const MAX_COMPARED = 100_000;

export function resultView(result: ToolResult): ResultView {
  const own = result.error?.message;
  // Text that Toolyard wrote for the model is shown as a status instead.
  const parts = result.content.filter(
    (part) => own === undefined || part.type !== 'text' || !part.text.startsWith(own),
  );
  const content = parts.map((part) => ({
    view: contentView(part),
    forModel: part.audience?.length === 1 && part.audience[0] === 'assistant',
  }));
  const { structured } = result;
  if (structured === undefined || content.some(({ view }) => hasSameValue(view, structured))) return { content };
  return { content, structured: JSON.stringify(structured) };
}

/** All text of a result, for copying. */
export function resultText(result: ToolResult): string {
  const texts: string[] = [];
  for (const part of result.content) {
    if ('text' in part && part.text !== undefined) texts.push(part.text);
    else if (part.type === 'resource') texts.push(part.uri);
  }
  if (texts.length === 0 && result.structured !== undefined) texts.push(JSON.stringify(result.structured, null, 2));
  return texts.join('\n\n');
}

/** Servers repeat structured results as text for hosts that read only text. */
function hasSameValue(view: ContentView, structured: JsonValue): boolean {
  if (view.kind !== 'json' || view.json.length > MAX_COMPARED) return false;
  const parsed = parseJson(view.json);
  return parsed.ok && canonicalJson(parsed.value) === canonicalJson(structured);
}
