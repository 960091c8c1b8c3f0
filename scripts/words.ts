import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ROOT } from './run.ts';
import type { WordRule } from './words/rules.ts';
import { WORD_RULES } from './words/rules.ts';
import { textsOf } from './words/texts.ts';

const FILES = [
  '*.{md,ts}',
  '{docs,bench,packages,servers,testing,e2e,scripts,examples}/**/*.{md,ts,mjs,svelte}',
  '.github/**/*.md',
];
const NOT_OURS = ['**/node_modules/**', '**/{dist,build,.svelte-kit,.cache}/**', '**/corpus/**'];
/** They name the words that are not written. */
const ABOUT_WORDS = /^scripts\/words(?:\/|\.)/;

/** Checks the words of comments, texts on screen, help, API summaries, test titles and documents; gives what is wrong. */
export function checkWords({ root = ROOT, paths }: { root?: string; paths?: readonly string[] } = {}): string | null {
  const files = (paths ?? globSync(FILES, { cwd: root, exclude: NOT_OURS })).map((path) => path.replaceAll(sep, '/'));
  const mayContain = containsAny(WORD_RULES);
  const wrong = files
    .filter((path) => !ABOUT_WORDS.test(path))
    .toSorted()
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      // Few files contain such a phrase anywhere: only those are parsed.
      return mayContain(source) ? findWords(path, source, WORD_RULES) : [];
    });
  return wrong.length === 0 ? null : `${wrong.join('\n')}\n${String(wrong.length)} phrases to replace`;
}

/** Whether a source contains one of the phrases, in a text or elsewhere. */
function containsAny(rules: readonly WordRule[]): (source: string) => boolean {
  const any = new RegExp(rules.map(({ pattern }) => pattern.source).join('|'), 'iu');
  // A phrase of a string can contain escapes, such as a line end.
  return (source) => any.test(source) || (source.includes('\\') && any.test(withoutEscapes(source)));
}

function withoutEscapes(source: string): string {
  return source.replace(/\\(?:u\{([\da-f]{1,5})\}|u([\da-f]{4})|x([\da-f]{2})|([^ux]))/giu, (_, ...found: string[]) => {
    const [long, short, byte, other = ''] = found;
    const code = long ?? short ?? byte;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return /[nrtvf]/.test(other) ? ' ' : other;
  });
}

/** One line for each excluded phrase: `path:line: "phrase": write …`. */
export function findWords(path: string, source: string, rules: readonly WordRule[]): string[] {
  return textsOf(path, source)
    .flatMap(({ text, offset }) =>
      rules.flatMap(({ pattern, write }) =>
        [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({ phrase, write, at: offset + index })),
      ),
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ phrase, write, at }) => {
      const line = source.slice(0, at).split('\n').length;
      return `${path}:${String(line)}: "${phrase.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ')}": write ${write}`;
    });
}

if (import.meta.main) {
  const folders = process.argv.slice(2);
  const all = (checkWords() ?? '').split('\n').slice(0, -1);
  const wrong = folders.length === 0 ? all : all.filter((line) => folders.some((folder) => line.startsWith(folder)));
  console.log(
    wrong.length === 0 ? 'no excluded words' : `${wrong.join('\n')}\n${String(wrong.length)} phrases to replace`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
