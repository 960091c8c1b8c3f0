import type { ArtifactKind } from '@toolyard/protocol';

/** How a document is shown. */
export type DocumentKind = ArtifactKind;

export type DocumentVersion = {
  /** Identifies it in the conversation; stays the same while it streams, and after a reload (see {@link isStoredKey}). */
  key: string;
  readonly text: string;
  /** It may still grow. */
  open: boolean;
  /** Why there is no text, which is loaded when it is read. */
  readonly missing?: 'loading' | 'failed' | null;
};

/**
 * Something the panel beside the chat shows, in all its versions: code blocks of answers, and documents that tools
 * created. Texts and names are content of a model: untrusted.
 */
export type PreviewDocument = {
  /** The key of its first version. */
  id: string;
  kind: DocumentKind;
  /** As in the info string of a code block. */
  language: string;
  title: string | null;
  fileName: string | null;
  versions: readonly [DocumentVersion, ...DocumentVersion[]];
};

/** Begins the keys of code blocks that are no part of an answer: they are counted from the load of the page. */
export const ALONE = 'alone:';

/** Whether the key means the same version after a reload. */
export function isStoredKey(key: string): boolean {
  return !key.startsWith(ALONE);
}

/** Longer documents are not shown: they can be copied and saved. */
export const MAX_SHOWN = 2_000_000;

const KINDS: Readonly<Record<string, DocumentKind>> = {
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  svg: 'svg',
  mermaid: 'mermaid',
  mmd: 'mermaid',
  markdown: 'markdown',
  md: 'markdown',
  csv: 'csv',
  tsv: 'csv',
};

export function getKind(language: string, text: string): DocumentKind {
  const name = language.toLowerCase();
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind !== undefined) return kind;
  const start = text.slice(0, 500);
  if (name === 'xml' && /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<svg[\s>]/.test(start)) return 'svg';
  return name === '' && /^\s*<!doctype html[\s>]/i.test(start) ? 'html' : 'code';
}
