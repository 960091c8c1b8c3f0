import type { CodeBlock } from '../markdown/blocks.ts';
import type { DocumentKind } from './document.ts';

export type BlockName = { fileName: string | null; title: string | null };

const FILE = String.raw`[\p{L}\p{N}_@./+ -]*[\p{L}\p{N}_+-]\.[A-Za-z0-9]{1,10}`;
/** `title="a b"`, `file=a.html`. */
const NAMED = /(?:^|[\s{,])(?:title|file|filename|name|path)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s"',}]+))/iu;
/** A file name alone, or after a colon: `html index.html`, `html:index.html`. */
const BARE = new RegExp(`^:?\\s*(${FILE})\\s*$`, 'u');
/** A first line that is a comment with a file name and nothing else. */
const COMMENT = new RegExp(`^\\s*(?://|#|--|;|/\\*|<!--)\\s*(${FILE})\\s*(?:\\*/|-->)?\\s*$`, 'u');
const MAX_NAME = 200;

/** What a code block is called: by its info string, its first line, or the title inside of it. */
export function nameOfBlock({ language, info, text }: CodeBlock, kind: DocumentKind): BlockName {
  const rest = info.slice(0, 500);
  const [, double, single, word] = NAMED.exec(rest) ?? [];
  const named = double ?? single ?? word;
  const isFile = named !== undefined && new RegExp(`^${FILE}$`, 'u').test(named);
  const [first = ''] = text.slice(0, 300).split('\n', 1);
  const fileName =
    (isFile ? named : undefined) ?? BARE.exec(rest)?.[1] ?? fileOfLanguage(language) ?? COMMENT.exec(first)?.[1];
  const title = (isFile ? undefined : named) ?? titleInside(kind, text);
  return { fileName: shorten(fileName), title: shorten(title) };
}

/** Three backticks and a file name instead of a language. */
function fileOfLanguage(language: string): string | undefined {
  return /^[\w+#-]+\.[a-z0-9]{1,10}$/i.test(language) ? language : undefined;
}

function titleInside(kind: DocumentKind, text: string): string | undefined {
  const start = text.slice(0, 20_000);
  switch (kind) {
    case 'html':
    case 'svg':
      return /<title(?:\s[^>]*)?>([^<]*)<\/title\s*>/i.exec(start)?.[1];
    case 'mermaid':
      return /^\s*(?:accTitle\s*:|title\s*:?)\s*(.+)$/m.exec(start)?.[1];
    case 'markdown':
      return /^#\s+(.+)$/m.exec(start)?.[1];
    case 'csv':
    case 'code':
      return undefined;
  }
}

function shorten(name: string | undefined): string | null {
  const text = (name ?? '').replace(/\s+/g, ' ').trim();
  return text === '' ? null : text.slice(0, MAX_NAME);
}
