import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './run.ts';
import type { WordRule } from './words/rules.ts';
import { WORD_RULES } from './words/rules.ts';

const FILES = ['*.{md,ts}', '{docs,bench,packages,servers,testing,e2e,scripts,examples}/**/*.{md,ts,mjs,svelte}'];
const NOT_OURS = [
  '**/node_modules/**',
  '**/{dist,build,.svelte-kit,.cache,corpus}/**',
  'scripts/words*',
  'scripts/words/**',
];

/** Checks comments, strings with more than one word, test titles and documents. Returns the phrases to replace, or null. */
export function checkWords(): string | null {
  const any = new RegExp(WORD_RULES.map(({ pattern }) => pattern.source).join('|'), 'iu');
  const wrong = globSync(FILES, { cwd: ROOT, exclude: NOT_OURS }).flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    // Few files contain such a phrase anywhere: only those are parsed.
    return any.test(source) ? findWords(path, source, WORD_RULES) : [];
  });
  return wrong.length === 0 ? null : wrong.toSorted().join('\n');
}

/** One line for each excluded phrase: `path:line: "phrase": write …`. */
export function findWords(path: string, source: string, rules: readonly WordRule[]): string[] {
  const text = path.endsWith('.md') ? source.replace(/^( *)(`{3,})[\s\S]*?^ *\2/gm, blank) : onlyTexts(path, source);
  const prose = text.replace(/`[^`\n]*`|\]\([^)\n]*\)/g, blank);
  return rules.flatMap(({ pattern, write }) =>
    [...prose.matchAll(pattern)].map(({ 0: phrase, index }) => {
      const line = source.slice(0, index).split('\n').length;
      return `${path}:${line}: "${phrase.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')}": write ${write}`;
    }),
  );
}

/** The source with blanks for all but its comments and strings; of the strings of a test only titles, which are no data. */
function onlyTexts(path: string, source: string): string {
  const code = path.endsWith('.svelte') ? source.replace(/^[\s\S]*?<script[^>]*>|<\/script>[\s\S]*$/g, blank) : source;
  const { comments, program } = parseSync(`${path}.ts`, code);
  const parts: { start: number; end: number }[] = [...comments];
  if (path.endsWith('.svelte'))
    parts.push(
      ...Array.from(source.matchAll(/<!--[\s\S]*?-->/g), ({ 0: { length }, index }) => ({
        start: index,
        end: index + length,
      })),
    );
  if (/\.test\.ts$|\/test-fixtures\/|^e2e\/|^testing\//.test(path)) {
    new Visitor({
      CallExpression: ({ callee, arguments: [title] }) => {
        if (title?.type.endsWith('Literal') && /^(?:it|test|describe)\b/.test(code.slice(callee.start, callee.end)))
          parts.push(title);
      },
    }).visit(program);
  } else {
    const add = (part: { start: number; end: number }): void =>
      void (/\w \w|^ |\s$/.test(code.slice(part.start, part.end)) && parts.push(part));
    new Visitor({ Literal: add, TemplateElement: add }).visit(program);
  }
  const kept = parts.toSorted((a, b) => a.start - b.start);
  return kept.reduce(
    (text, { start, end }) => text.slice(0, start) + source.slice(start, end) + text.slice(end),
    blank(source),
  );
}

/** Blanks of the same length, so that offsets stay. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, '-');
}
