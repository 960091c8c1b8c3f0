import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT } from './run.ts';

const FILES = ['*.{md,ts}', '{docs,bench,packages,servers,testing,e2e,scripts,examples}/**/*.{md,ts,mjs,svelte}'];
const NOT_OURS = [
  '**/node_modules/**',
  '**/{dist,build,.svelte-kit,.cache,corpus}/**',
  'docs/glossary.md',
  'scripts/words*',
];

/** Habits of style that are wrong nearly everywhere, and what to write instead; terms are in docs/glossary.md. */
const STYLE: readonly (readonly [phrases: string, write: string])[] = [
  ['who(?:m|so)?ever|(?:any|no|some|every)body', 'the noun: user, caller, client, process'],
  ['persons?', 'user'],
  ['strangers?', 'third party, untrusted client'],
  ['what (?:came|comes|come|became|becomes) of', 'result, outcome'],
  ['told|(?:is|are|was|were|be|been) said', 'notified, reported, sent, informed'],
  ['he(?:ars?|ard)', 'receives, is notified of'],
  ['anew', 'again; reconnect, restart, regenerate'],
  ['of the moment', 'current'],
  ['dies?|died|dying', 'exits, crashes, is killed'],
  ['let(?:s|ting)? go(?: of)?', 'release'],
  ['to be had', 'available'],
  ['t(?:ake|akes|aken|ook|aking) up', 'resume, claim, start'],
  ['c(?:o|a)m(?:e|es|ing) to (?:its|an|their|the) end', 'end, complete'],
  ['go(?:es|ing)? on|went on|gone on', 'continue, resume'],
  ['in mid-\\w+', 'during, while'],
  ['makings', 'inputs'],
  ['blows?', 'fault'],
  ['shut(?!s? ?down|ting down)', 'close, dismiss'],
  ['films?', 'video'],
  ['fear(?:ed|s)?', 'flagged as dangerous'],
  ['under ?way|at work', 'executing, in progress'],
  ['what waits', 'the noun: queue, pending calls, waiting messages'],
  ['is none', 'name what it is instead, or “is not”'],
  ['stands?(?! for\\b)|stood', 'is, is located, is stored'],
  ['of its own accord|unasked', 'by itself, without approval'],
  ['the like', '“such as”, or the list'],
  ['no one’s', 'without an owner'],
  ['lest|thereupon|henceforth|heretofore|whereupon|albeit', 'so that … not, then, from now on, although'],
];

type Rule = { readonly pattern: RegExp; readonly write: string };

/** The rules of style, and of the column "Do not write" of a glossary; its entries in italics are not checked. */
export function readRules(glossary: string): Rule[] {
  const tables = glossary.matchAll(/^(\|.*\| Do not write\b.*)\n\|[ |-]+\n((?:\|.*\n?)+)/gm);
  const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  const terms = [...tables].flatMap(([, head = '', rows = '']) => {
    const columns = cellsOf(head);
    return rows.split('\n').flatMap((row): [string, string][] => {
      const cells = cellsOf(row);
      const phrases = (cells[columns.indexOf('Do not write')] ?? '').split(',').map((phrase) => phrase.trim());
      const term = cells[columns.indexOf('Term')] ?? '';
      return phrases.filter((phrase) => /^[\w' ]+$/.test(phrase)).map((phrase) => [phrase, term]);
    });
  });
  if (terms.length === 0) throw new Error('The glossary has no table with a column "Do not write".');
  // Whole words, also across the lines of a comment.
  return [...terms, ...STYLE].map(([phrases, write]) => ({
    pattern: new RegExp(
      `(?<![\\w-])(?:${phrases.replaceAll(' ', String.raw`(?:\s+|\s*\n\s*(?:\*|//)\s*)`)})(?![\\w-])`,
      'giu',
    ),
    write,
  }));
}

/** Checks comments, strings with more than one word, test titles and documents. Returns the phrases to replace, or null. */
export function checkWords(): string | null {
  const rules = readRules(readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8'));
  const any = new RegExp(rules.map(({ pattern }) => pattern.source).join('|'), 'iu');
  const wrong = globSync(FILES, { cwd: ROOT, exclude: NOT_OURS }).flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    // Few files contain such a phrase anywhere: only those are parsed.
    return any.test(source) ? findWords(path, source, rules) : [];
  });
  return wrong.length === 0 ? null : wrong.toSorted().join('\n');
}

/** One line for each excluded phrase: `path:line: "phrase": write …`. */
export function findWords(path: string, source: string, rules: readonly Rule[]): string[] {
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
