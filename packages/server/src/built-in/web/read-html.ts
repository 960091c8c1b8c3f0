import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Extracted } from './extraction.ts';
import { toMarkdown } from './to-markdown.ts';

/** The readable part of a page as Markdown; of a page without an article, all of it. */
export function readHtml(html: string, url: string): Extracted {
  const { document } = parseHTML(html);
  const title = document.title.trim();
  const article = new Readability(document.cloneNode(true) as typeof document).parse();
  const isArticle = (article?.textContent?.trim().length ?? 0) > 200;
  const content = isArticle
    ? parseHTML(`<!doctype html><html><body>${article?.content ?? ''}</body></html>`)
    : { document };
  return { ...(title === '' ? {} : { title }), text: toMarkdown(content.document.documentElement, url) };
}
