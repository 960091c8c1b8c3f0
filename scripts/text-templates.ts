import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './run.ts';

/** The templates of all texts in the sources, by the file that has each: see `say` of `@toolyard/protocol`. */
export function readTemplates(): Map<string, string> {
  const exclude = ['**/*.test.ts', '**/test-fixtures/**'];
  const files = globSync(['packages/*/src/**/*.ts'], { cwd: ROOT, exclude });
  const templates = new Map<string, string>();
  for (const file of files) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    if (!source.includes('say`')) continue;
    for (const template of templatesIn(file, source)) templates.set(template, file);
  }
  return templates;
}

export function templatesIn(file: string, source: string): string[] {
  const found: string[] = [];
  const visitor = new Visitor({
    TaggedTemplateExpression: ({ tag, quasi: { quasis } }) => {
      if (tag.type !== 'Identifier' || tag.name !== 'say') return;
      found.push(quasis.map(({ value }, at) => (at === 0 ? '' : `{${at - 1}}`) + (value.cooked ?? '')).join(''));
    },
  });
  visitor.visit(parseSync(file, source).program);
  return found;
}
