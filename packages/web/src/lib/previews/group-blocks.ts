import type { CodeBlock } from '../markdown/blocks.ts';
import { nameOfBlock } from './block-name.ts';
import type { DocumentKind, DocumentVersion, PreviewDocument } from './document.ts';
import { ALONE, getKind } from './document.ts';

/** A code block of a conversation. `open`: its answer still grows, and it is the end of it. */
export type FoundBlock = { key: string; block: CodeBlock; open: boolean };

type Growing = Omit<PreviewDocument, 'versions'> & { versions: [DocumentVersion, ...DocumentVersion[]] };

/** Titles that templates and examples begin with: two documents can have them by chance. */
const GENERIC =
  /^(?:(?:my |the )?(?:document|title|page|web ?page|website|site|app|test|example|demo|diagram|html|untitled)(?: (?:document|title|page))?|)$/i;

/**
 * The documents among code blocks, in the order of their first version. Blocks of one language are versions of a
 * document if they have the same file name, or without one the same title; all others are documents of their own: it is
 * worse to compare what does not belong together than to show two documents.
 */
export function groupBlocks(blocks: readonly FoundBlock[]): PreviewDocument[] {
  const documents: Growing[] = [];
  const byFile = new Map<string, Growing>();
  const byTitle = new Map<string, Growing>();
  for (const { key, block, open } of blocks) {
    const kind = getKind(block.language, block.text);
    const { fileName, title } = nameOfBlock(block, kind);
    const language = kind === 'code' ? block.language.toLowerCase() : kind;
    const file = fileName === null ? null : `${language}\n${fileName}`;
    const titled = title === null || !groupsByTitle(kind) || GENERIC.test(title) ? null : `${language}\n${title}`;
    const sameTitle = titled === null ? undefined : byTitle.get(titled);
    // A document that was shown without its file name may get it later, but never a second one.
    const known =
      file === null ? sameTitle : (byFile.get(file) ?? (sameTitle?.fileName === null ? sameTitle : undefined));
    const version = { key, text: block.text, open };
    const document = known ?? { id: key, kind, language: block.language, title, fileName, versions: [version] };
    if (known === undefined) documents.push(document);
    else document.versions.push(version);
    document.title = title ?? document.title;
    document.fileName ??= fileName;
    if (file !== null) byFile.set(file, document);
    if (titled !== null) byTitle.set(titled, document);
  }
  return documents;
}

/** The first heading of a Markdown text is often general: "Notes", "Summary". */
function groupsByTitle(kind: DocumentKind): boolean {
  return kind !== 'markdown';
}

let lastAlone = 0;

/** A code block that is no part of an answer as a document of its own. */
export function createDocument(block: CodeBlock): PreviewDocument {
  lastAlone += 1;
  const key = `${ALONE}${String(lastAlone)}`;
  const kind = getKind(block.language, block.text);
  const versions = [{ key, text: block.text, open: false }] as const;
  return { id: key, kind, language: block.language, ...nameOfBlock(block, kind), versions };
}
