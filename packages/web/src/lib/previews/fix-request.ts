import { showHidden } from '@toolyard/protocol';
import { t } from '../i18n/i18n.svelte.ts';

export type DocumentError = { text: string; line: number | null; stack: string };

const MAX_ERROR = 1_500;

/** The message that asks for a correction. The error is text of the document: quoted, limited, hidden characters shown. */
export function fixRequest(name: string, version: number, error: DocumentError): string {
  const bare = error.text.replace(/^Uncaught /, '');
  const line = error.line === null ? '' : ` (${t('previews.line', { line: error.line })})`;
  const stack = error.stack.includes(bare) ? error.stack : [error.text + line, error.stack].join('\n');
  // The address of the frame says nothing to a model.
  const said = showHidden(stack.replace(/https?:\/\/[^\s/]+\/frame\/content\?\S*?(?=:\d+:\d+)/g, 'document').trim());
  const bounded = said.length > MAX_ERROR ? `${said.slice(0, MAX_ERROR)}…` : said;
  return `${t('previews.fixRequest', { title: name.slice(0, 100), version })}\n\n${t('previews.fixQuote')}\n\n${quote(bounded)}`;
}

/** In a fence longer than any inside. */
function quote(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
