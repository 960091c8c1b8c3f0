import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Extracted } from './extraction.ts';
import type { DomNode } from './to-markdown.ts';
import { toMarkdown } from './to-markdown.ts';

/** What is used of a document; the types of the DOM are not those of Node. */
type ParsedDocument = { title: string; documentElement: DomNode; cloneNode(deep: boolean): unknown };

const parse = parseHTML as unknown as (html: string) => { document: ParsedDocument };
const MIN_ARTICLE_LENGTH = 200;

/** The readable part of a page as Markdown; of a page without an article, all of it. */
export function readHtml(html: string, url: string): Extracted {
  const { document } = parse(html);
  const title = document.title.trim();
  // It changes the document.
  const article = new Readability(document.cloneNode(true)).parse();
  const isArticle = (article?.textContent?.trim().length ?? 0) > MIN_ARTICLE_LENGTH;
  const content = isArticle
    ? parse(`<!doctype html><html><body>${article?.content ?? ''}</body></html>`).document
    : document;
  return { ...(title === '' ? {} : { title }), text: toMarkdown(content.documentElement, url) };
}
