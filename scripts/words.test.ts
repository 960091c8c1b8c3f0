import { expect, it } from 'vitest';
import { findWords } from './words.ts';
import { WORD_RULES } from './words/rules.ts';

it.each([
  ['a comment', 'a.ts', 'const a = 1;\n// After a takeover.', ['a.ts:2: "takeover": write failover']],
  [
    'a comment of two lines',
    'a.ts',
    '/**\n * Limits most\n * turns.\n */',
    ['a.ts:2: "most turns": write max output tokens, max turns'],
  ],
  [
    'strings of several words, no identifiers',
    'a.ts',
    "const person = { nobody: 'person', a: 'A person.', b: `A person ${person}` };",
    2,
  ],
  ['titles of tests, not their data', 'a.test.ts', 'it("asks a person", () => send("a person"));', 1],
  [
    'script and comments of a component',
    'a.svelte',
    '<!-- person -->\n<script lang="ts">\n// person\n</script>\n<p>person</p>',
    2,
  ],
  [
    'a document without its code and links',
    'a.md',
    'See `person` and [a](person.md).\n```\nperson\n```\nA person.',
    ['a.md:5: "person": write user'],
  ],
])('reads %s', (_, path, source, expected) => {
  const found = findWords(path, source, WORD_RULES);
  expect(typeof expected === 'number' ? found.length : found).toEqual(expected);
});
