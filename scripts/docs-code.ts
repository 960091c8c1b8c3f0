import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { commentCode } from './comment-code.ts';
import { ROOT, TSC, runTool } from './run.ts';

/**
 * Type-checks every ```ts block of the documents, and the examples in the comments of the library. Returns the errors,
 * or null.
 */
export async function checkDocsCode(): Promise<string | null> {
  const folder = join(ROOT, '.cache', 'docs-code');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const documents = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'servers/*/*.md'], { cwd: ROOT });
  let blocks = 0;
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    for (const [, code = ''] of text.matchAll(/```ts\n([\s\S]*?)```/g)) {
      blocks++;
      writeFileSync(join(folder, `${document.replace(/[^a-z0-9]+/gi, '-')}-${blocks}.ts`), `${code}\nexport {};\n`);
    }
  }
  if (blocks === 0) return 'no document has a ts block';
  for (const [name, code] of commentCode()) writeFileSync(join(folder, name), code);
  // Against the built packages, as users see them: their sources are checked already.
  const tsconfig = { extends: '../../tsconfig.json', include: ['*.ts'], compilerOptions: { customConditions: [] } };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const ran = await runTool(TSC, ['-p', folder], { quiet: true });
  return ran.code === 0 ? null : ran.output;
}
