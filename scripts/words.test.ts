import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkWords, findWords } from './words.ts';
import { WORD_RULES } from './words/rules.ts';

describe('the check of words', () => {
  it('prints file, line and replacement of an excluded phrase', () => {
    expect(findWords('a.ts', 'const a = 1;\n// After a takeover.', WORD_RULES)).toEqual([
      'a.ts:2: "takeover": write failover',
    ]);
  });

  it('finds a phrase that a comment breaks over two lines', () => {
    const comment = '/**\n * Limits most\n * turns.\n */';
    const found = '"most turns": write max output tokens, max turns';
    expect(findWords('a.ts', comment, WORD_RULES)).toEqual([`a.ts:2: ${found}`]);
    expect(findWords('a.md', 'Limits most\nturns.', WORD_RULES)).toEqual([`a.md:1: ${found}`]);
  });

  it('reads comments, sentences and templates of code, but no identifiers and no single words', () => {
    const code = 'const told = { person: "nobody", text: "Ask a person.", more: `Told ${told} by nobody` };';
    expect(findWords('a.ts', code, WORD_RULES).map((line) => /"(.*)"/.exec(line)?.[1])).toEqual([
      'person',
      'Told',
      'nobody',
    ]);
  });

  it('reads titles and comments of tests, but not their data', () => {
    const code = 'it("asks nobody twice", () => send("nobody is here")); // whoever';
    expect(findWords('a.test.ts', code, WORD_RULES).map((line) => /"(.*)"/.exec(line)?.[1])).toEqual([
      'nobody',
      'whoever',
    ]);
  });

  it('reads scripts and comments of components at their lines', () => {
    const component = '<!-- anew -->\n<script lang="ts">\n  // whoever\n</script>\n<p>{told}</p>';
    expect(findWords('a.svelte', component, WORD_RULES).map((line) => line.split(': ')[0])).toEqual([
      'a.svelte:1',
      'a.svelte:3',
    ]);
  });

  it('reads documents without their code and links', () => {
    const markdown = 'See `person` and [records](person.md).\n```ts\nconst a = "a person";\n```\nTell a person.';
    expect(findWords('a.md', markdown, WORD_RULES)).toEqual(['a.md:5: "person": write user']);
  });

  it('fails for a repository with one such phrase, and passes without', () => {
    const root = mkdtempSync(join(tmpdir(), 'toolyard-words-'));
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    try {
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
    const texts = ["'Limits most\\nturns.'", "'After a t\\u0061keover.'", "'The \\'takeover\\' ends.'"];
    try {
      for (const text of texts) {
        writeFileSync(join(root, 'a.ts'), `const a = ${text};`);
        expect(checkWords({ root }), text).not.toBeNull();
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
