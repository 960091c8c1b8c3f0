import { safeFileName } from '../chat/tools/file-name.ts';
import { getExtension } from '../markdown/rich/code-file.ts';
import type { DocumentKind, PreviewDocument } from './document.ts';

const EXTENSIONS: Readonly<Record<Exclude<DocumentKind, 'code'>, string>> = {
  html: 'html',
  svg: 'svg',
  mermaid: 'mmd',
  markdown: 'md',
  csv: 'csv',
};

/** The name a document is saved under: its own file name, or its title with the extension of its kind. */
export function downloadName({
  kind,
  language,
  title,
  fileName,
}: Pick<PreviewDocument, 'kind' | 'language' | 'title' | 'fileName'>): string {
  const extension = kind === 'code' ? getExtension(language) : EXTENSIONS[kind];
  const own = safeFileName(fileName ?? '');
  if (/.\.[a-z0-9]{1,10}$/i.test(own)) return own;
  const name = safeFileName((title ?? '').replace(/[/\\]/g, '_'));
  return `${own || name || 'document'}.${extension}`;
}
