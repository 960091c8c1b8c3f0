import { defined, isJsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';

/** The citations of an answer, each emitted once. */
export class Citations {
  readonly #seen = new Set<string>();

  /** Adds a URL, or an object with one; ignores anything that cannot be opened. */
  add(source: JsonValue | undefined, out: StreamPart[]): void {
    const fields = isJsonObject(source) ? source : { url: source ?? null };
    const url = fields['url'] ?? fields['uri'];
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return;
    const title = nonEmptyText(fields['title']);
    const text = nonEmptyText(fields['cited_text'] ?? fields['snippet']);
    const key = `${url}\n${text ?? ''}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    out.push({
      type: 'citation',
      url,
      ...defined({ title, text }),
    });
  }

  addAll(sources: JsonValue | undefined, out: StreamPart[]): void {
    if (Array.isArray(sources)) for (const source of sources) this.add(source, out);
  }
}

function nonEmptyText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
