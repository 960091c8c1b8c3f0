import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const DOCUMENTS = ['*.md', 'docs/**/*.md', '{bench,examples}/*.md', '{packages,servers}/*/*.md'];
const LINK = /\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

/** Relative links of the documents under `root` to files or headings that do not exist, one line each. */
export function brokenLinks(root: string): string[] {
  const documents = globSync(DOCUMENTS, { cwd: root, exclude: ['**/node_modules/**'] }).toSorted();
  return documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8').replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '));
    return [...text.matchAll(LINK)].flatMap(({ 1: inline, 2: attribute, index }) => {
      const target = inline ?? attribute ?? '';
      const reason = whyBroken(root, document, target);
      const line = text.slice(0, index).split('\n').length;
      return reason === null ? [] : [`${document}:${line}: ${target}: ${reason}`];
    });
  });
}

function whyBroken(root: string, document: string, target: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
  if (!existsSync(file)) return `there is no ${relative(root, file)}`;
  if (anchor === undefined || statSync(file).isDirectory()) return null;
  return listAnchors(file).has(anchor) ? null : `there is no heading "${anchor}"`;
}

/** As GitHub makes them of headings. */
function listAnchors(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
