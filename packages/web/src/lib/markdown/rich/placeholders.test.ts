import { expect, it } from 'vitest';
import type { AnswerContext } from '../answer-context.ts';
import { fillIn } from './placeholders.ts';

const context: AnswerContext = {
  id: 'x',
  notes: new Map([
    ['a', 1],
    ['b', 2],
  ]),
  citations: [
    { type: 'citation', url: 'https://one.example/"x', title: '<img src=x onerror=y>' },
    { type: 'citation', url: 'javascript:alert(1)' },
  ],
};
const note = (text: string) => fillIn(`<span class="md-x-note">${text}</span>`, context);
const source = (text: string) => fillIn(`<span class="md-x-source">${text}</span>`, context);

it('numbers footnotes in their order, and keeps references without one as written', () => {
  expect(note('[^b]')).toContain('href="#x-note-2"');
  expect(note('[^missing]')).toBe('[^missing]');
  expect(note('[^&lt;b&gt;]')).toBe('[^&lt;b&gt;]');
});

it('links sources, with everything from outside escaped', () => {
  expect(source('[1]')).toContain('href="https://one.example/%22x"');
  expect(source('【1†page】')).toContain('>1</a>');
  expect(source('[1]')).not.toContain('<img');
});

it.each(['[2]', '[3]', '[0]'])('keeps %s as written without a web address', (text) => {
  expect(source(text)).toBe(text);
});

it('leaves other content unchanged', () => {
  for (const html of ['<code>[1]</code>', 'class="md-x-note"', '<a title="md-x-note">[^a]</a>']) {
    expect(fillIn(html, context)).toBe(html);
  }
});
