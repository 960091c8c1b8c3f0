import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkWords, findWords } from './words.ts';
import { readGlossary } from './words/glossary.ts';
import { STYLE_RULES } from './words/rules.ts';

const GLOSSARY = `
| Term        | Meaning | Do not write         |
| ----------- | ------- | -------------------- |
| failover    | x       | takeover, *changes*  |
| input token | x       | tokens read          |
`;
const RULES = [...readGlossary(GLOSSARY), ...STYLE_RULES];

describe('the check of words', () => {
  it('prints file, line and replacement of a phrase the glossary excludes', () => {
    expect(findWords('a.ts', 'const a = 1;\n// After a takeover.', RULES)).toEqual([
      'a.ts:2: "takeover": write failover',
    ]);
  });

  it('skips words in italics, which have another meaning as well', () => {
    expect(findWords('a.ts', '// It changes.', RULES)).toEqual([]);
  });

  it('finds a phrase that a comment breaks over two lines', () => {
    const comment = '/**\n * Counts tokens\n * read.\n */';
    expect(findWords('a.ts', comment, RULES)).toEqual(['a.ts:2: "tokens read": write input token']);
    expect(findWords('a.md', 'Counts tokens\nread.', RULES)).toEqual(['a.md:1: "tokens read": write input token']);
  });

  it('reads comments, sentences and templates of code, but no identifiers and no single words', () => {
    const code = 'const told = { person: "nobody", text: "Ask a person.", more: `Told ${told} by nobody` };';
    expect(findWords('a.ts', code, RULES).map((line) => /"(.*)"/.exec(line)?.[1])).toEqual([
      'person',
      'Told',
      'nobody',
    ]);
  });

  it('reads titles and comments of tests, but not their data', () => {
    const code = 'it("asks nobody twice", () => send("nobody is here")); // whoever';
    expect(findWords('a.test.ts', code, RULES).map((line) => /"(.*)"/.exec(line)?.[1])).toEqual(['nobody', 'whoever']);
  });

  it('reads scripts and comments of components at their lines', () => {
    const component = '<!-- anew -->\n<script lang="ts">\n  // whoever\n</script>\n<p>{told}</p>';
    expect(findWords('a.svelte', component, RULES).map((line) => line.split(': ')[0])).toEqual([
      'a.svelte:1',
      'a.svelte:3',
    ]);
  });

  it('reads documents without their code and links', () => {
    const markdown = 'See `person` and [records](person.md).\n```ts\nconst a = "a person";\n```\nTell a person.';
    expect(findWords('a.md', markdown, RULES)).toEqual(['a.md:5: "person": write user']);
  });

  it('fails for a repository with one such phrase, and passes without', () => {
    const root = mkdtempSync(join(tmpdir(), 'toolyard-words-'));
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    try {
      write('docs/glossary.md', GLOSSARY);
      write('packages/a/src/a.ts', '// Restarts the run.');
      expect(checkWords({ root })).toBeNull();
      write('packages/a/src/a.ts', '// Restarts the run after a takeover.');
      expect(checkWords({ root })).toBe('packages/a/src/a.ts:1: "takeover": write failover\n1 phrases to replace');
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it('finds a phrase of a string that is written with escapes', () => {
    const root = mkdtempSync(join(tmpdir(), 'toolyard-words-'));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs', 'glossary.md'), GLOSSARY);
    const texts = ["'Counts tokens\\nread.'", "'After a t\\u0061keover.'", "'The \\'takeover\\' ends.'"];
    try {
      for (const text of texts) {
        writeFileSync(join(root, 'a.ts'), `const a = ${text};`);
        expect(checkWords({ root }), text).not.toBeNull();
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it('refuses a glossary without its table instead of checking nothing', () => {
    expect(() => readGlossary('# Glossary')).toThrow('no table with a column "Do not write"');
  });
});
