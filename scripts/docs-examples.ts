import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENTS = ['docs/*.md', '{packages,servers}/*/README.md'];
/** The code of a file of examples/ in a document, under a comment with its path. */
const SHOWN = /^<!-- (examples\/[\w.-]+) -->\n\n```ts\n[\s\S]*?^```$/gm;

/** The documents under `root` that show examples, as they must be: path and text. */
function documentsWithExamples(root: string): { path: string; is: string; mustBe: string }[] {
  return globSync(DOCUMENTS, { cwd: root }).flatMap((path) => {
    const is = readFileSync(join(root, path), 'utf8');
    const mustBe = is.replace(SHOWN, (_shown, example: string) => {
      const code = readFileSync(join(root, example), 'utf8');
      return `<!-- ${example} -->\n\n\`\`\`ts\n${code}\`\`\``;
    });
    return is.search(SHOWN) === -1 ? [] : [{ path, is, mustBe }];
  });
}

/** The documents that show an example as it is not. Throws if there is no such example. */
export function staleDocuments(root: string): string[] {
  return documentsWithExamples(root).flatMap(({ path, is, mustBe }) => (is === mustBe ? [] : [path]));
}

/** The examples that no document shows. */
export function hiddenExamples(root: string): string[] {
  const shown = documentsWithExamples(root).flatMap(({ is }) => [...is.matchAll(SHOWN)].map(([, example]) => example));
  return globSync('examples/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).filter((file) => !shown.includes(file));
}

/** Copies the examples into the documents. */
export function writeExamples(root: string): void {
  for (const { path, mustBe } of documentsWithExamples(root)) writeFileSync(join(root, path), mustBe);
}
