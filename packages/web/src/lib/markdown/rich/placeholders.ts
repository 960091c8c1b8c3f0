import { t } from '../../i18n/i18n.svelte.ts';
import type { AnswerContext } from '../answer-context.ts';
import { escape, unescape } from '../entities.ts';
import { formulaHtml } from './formulas.svelte.ts';

/** Written by ../render.ts; their content is text. Text of a model contains no tag with a class. */
const PLACEHOLDER = /<(code|span) class="md-x-(math|note|source)( md-x-display)?">([^<]*)<\/\1>/g;

/** Sanitized inline content, with its formulas and references. What cannot be resolved stays as written. */
export function fillIn(html: string, context: AnswerContext): string {
  return html.replace(PLACEHOLDER, (whole, _tag, kind: string, display: string | undefined, escaped: string) => {
    const text = unescape(escaped);
    if (kind === 'math') return formulaHtml(text, display !== undefined) ?? whole;
    return (kind === 'note' ? noteLink(text, context) : sourceLink(text, context)) ?? escaped;
  });
}

function noteLink(text: string, { id, notes }: AnswerContext): string | null {
  const number = notes.get(text.slice(2, -1));
  if (number === undefined) return null;
  const label = escape(t('rich.footnote', { number }));
  const target = escape(noteId(id, number));
  return `<sup><a href="#${target}" class="md-ref" role="doc-noteref" aria-label="${label}">${String(number)}</a></sup>`;
}

/** Id of the element of a footnote. */
export function noteId(id: string, number: number): string {
  return `${id}-note-${String(number)}`;
}

function sourceLink(text: string, { citations }: AnswerContext): string | null {
  const number = Number(/\d+/.exec(text)?.[0] ?? 0);
  const citation = citations[number - 1];
  const address = citation === undefined ? null : URL.parse(citation.url);
  if (citation === undefined || address === null || !['http:', 'https:'].includes(address.protocol)) return null;
  const title = citation.title === undefined ? address.host : `${citation.title} (${address.host})`;
  const label = escape(t('rich.source', { number, title }));
  return (
    `<sup><a href="${escape(address.href)}" class="md-ref" target="_blank" rel="noopener noreferrer" ` +
    `title="${escape(title)}" aria-label="${label}">${String(number)}</a></sup>`
  );
}
