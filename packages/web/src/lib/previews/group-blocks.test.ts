import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../markdown/incremental.ts';
import { getKind } from './document.ts';
import { createDocument, groupBlocks } from './group-blocks.ts';

/** The documents of answers with one code block each: its info string and its text. */
function createDocuments(...blocks: [info: string, text: string][]) {
  return groupBlocks(
    blocks.flatMap(([info, text], index) =>
      parseMarkdown(`\`\`\`${info}\n${text}\n\`\`\``).flatMap((block) =>
        block.type === 'code' ? [{ key: String(index), block, open: false }] : [],
      ),
    ),
  );
}
const listKeys = (...blocks: [string, string][]): string[] =>
  createDocuments(...blocks).map(({ versions }) => versions.map(({ key }) => key).join());
const page = (title: string, body = ''): string => `<!doctype html><title>${title}</title>${body}`;

describe('versions of a document', () => {
  test.each<[name: string, one: string]>([
    ['after the language', 'html index.html'],
    ['after a colon', 'html:index.html'],
    ['as a value', 'html title="index.html"'],
    ['with a path', 'html file=src/index.html'],
  ])('have the same file name: %s', (_, info) => {
    expect(listKeys([info, 'a'], ['html other.html', 'b'], [info, 'c'])).toEqual(['0,2', '1']);
  });

  test('have a first line that names the file', () => {
    const [document] = createDocuments(['js', '// src/app.js\nlet a;'], ['js', '// src/app.js\nlet b;']);
    expect(document).toMatchObject({ fileName: 'src/app.js', kind: 'code', versions: [{ key: '0' }, { key: '1' }] });
    expect(listKeys(['js', '// adds two.numbers up\n'], ['js', '// adds two.numbers up\n'])).toEqual(['0', '1']);
  });

  test('have the same title in the language', () => {
    expect(listKeys(['html', page('Snake')], ['html', page('Chess')], ['html', page('Snake', '2')])).toEqual([
      '0,2',
      '1',
    ]);
    expect(listKeys(['mermaid', 'flowchart LR\naccTitle: A b\na-->b'], ['mermaid', 'accTitle: A b\n'])).toEqual([
      '0,1',
    ]);
    expect(listKeys(['svg', '<svg><title>Sun</title></svg>'], ['html', page('Sun')])).toEqual(['0', '1']);
    expect(listKeys(['html title="A shop"', 'a'], ['htm title="A shop"', 'b'])).toEqual(['0,1']);
  });

  test.each(['Document', 'Untitled', 'My Page', 'Test page', 'Example', 'Demo', ''])(
    'are not blocks with a general title: %j',
    (title) => {
      expect(listKeys(['html', page(title)], ['html', page(title)])).toEqual(['0', '1']);
    },
  );

  test('are not blocks without a name, of another language, or with another file name', () => {
    expect(listKeys(['js', 'a'], ['js', 'a'], ['', 'a'], ['', 'a'])).toEqual(['0', '1', '2', '3']);
    expect(listKeys(['ts app.x', 'a'], ['js app.x', 'a'])).toEqual(['0', '1']);
    expect(listKeys(['html a.html', page('Snake')], ['html b.html', page('Snake')])).toEqual(['0', '1']);
    expect(listKeys(['md', '# Notes\n'], ['md', '# Notes\n'])).toEqual(['0', '1']);
  });

  test('get the file name that a later one has', () => {
    const [document] = createDocuments(['html', page('Snake')], ['html snake.html', page('Snake')]);
    expect(document).toMatchObject({ id: '0', title: 'Snake', fileName: 'snake.html' });
    expect(document?.versions).toHaveLength(2);
  });
});

test('knows the kind by the language, or by the beginning of the text', () => {
  expect(getKind('HTM', '')).toBe('html');
  expect(getKind('xml', '<?xml version="1.0"?>\n<!-- x --><svg xmlns="…">')).toBe('svg');
  expect(getKind('xml', '<rss>')).toBe('code');
  expect(getKind('', ' <!DOCTYPE html>')).toBe('html');
  expect(getKind('constructor', '')).toBe('code');
});

test('blocks outside of answers are documents of their own', () => {
  const block = { type: 'code', language: 'html', info: '', text: page('Snake'), open: false } as const;
  expect(createDocument(block)).toMatchObject({ title: 'Snake', kind: 'html' });
  expect(createDocument(block).id).not.toBe(createDocument(block).id);
});
