import { extractText, getDocumentProxy } from 'unpdf';
import type { Extracted } from './extraction.ts';

const MAX_PAGES = 500;

/** @throws Error if the PDF is damaged, encrypted or too long */
export async function readPdf(bytes: Uint8Array): Promise<Extracted> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  if (document.numPages > MAX_PAGES) {
    throw new Error(`the PDF has ${document.numPages} pages, and at most ${MAX_PAGES} are read`);
  }
  const { text } = await extractText(document, { mergePages: false });
  return { text: text.map((page, at) => `[page ${at + 1}]\n${page}`).join('\n\n') };
}
