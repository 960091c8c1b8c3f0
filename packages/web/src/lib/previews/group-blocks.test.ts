import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../markdown/incremental.ts';
import { kindOf } from './document.ts';
import { documentOf, groupBlocks } from './group-blocks.ts';

/** The documents of answers with one code block each: its info string and its text. */
function documentsOf(...blocks: [info: string, text: string][]) {
  return groupBlocks(
    blocks.flatMap(([info, text], index) =>
      parseMarkdown(`\`\`\`${info}\n${text}\n\`\`\``).flatMap((block) =>
        block.type === 'code' ? [{ key: String(index), block, open: false }] : [],
      ),
    ),
  );
}
const keysOf = (...blocks: [string, string][]): string[] =>
  documentsOf(...blocks).map(({ versions }) => versions.map(({ key }) => key).join());
const page = (title: string, body = ''): string => `<!doctype html><title>${title}</title>${body}`;

describe('versions of a document', () => {
  test.each<[name: string, one: string]>([
    ['after the language', 'html index.html'],
    ['after a colon', 'html:index.html'],
    ['as a value', 'html title="index.html"'],
    ['with a path', 'html file=src/index.html'],
  ])('have the same file name: %s', (_, info) => {
    expect(keysOf([info, 'a'], ['html other.html', 'b'], [info, 'c'])).toEqual(['0,2', '1']);
  });

  test('have a first line that names the file', () => {
    const [document] = documentsOf(['js', '// src/app.js\nlet a;'], ['js', '// src/app.js\nlet b;']);
    expect(document).toMatchObject({ fileName: 'src/app.js', kind: 'code', versions: [{ key: '0' }, { key: '1' }] });
    expect(keysOf(['js', '// adds two.numbers up\n'], ['js', '// adds two.numbers up\n'])).toEqual(['0', '1']);
  });

  test('have the same title in the language', () => {
    expect(keysOf(['html', page('Snake')], ['html', page('Chess')], ['html', page('Snake', '2')])).toEqual([
      '0,2',
      '1',
    ]);
    expect(keysOf(['mermaid', 'flowchart LR\naccTitle: A b\na-->b'], ['mermaid', 'accTitle: A b\n'])).toEqual(['0,1']);
    expect(keysOf(['svg', '<svg><title>Sun</title></svg>'], ['html', page('Sun')])).toEqual(['0', '1']);
    expect(keysOf(['html title="A shop"', 'a'], ['htm title="A shop"', 'b'])).toEqual(['0,1']);
  });

  test.each(['Document', 'Untitled', 'My Page', 'Test page', 'Example', 'Demo', ''])(
    'are not blocks with a general title: %j',
    (title) => {
      expect(keysOf(['html', page(title)], ['html', page(title)])).toEqual(['0', '1']);
    },
  );

  test('are not blocks without a name, of another language, or with another file name', () => {
    expect(keysOf(['js', 'a'], ['js', 'a'], ['', 'a'], ['', 'a'])).toEqual(['0', '1', '2', '3']);
    expect(keysOf(['ts app.x', 'a'], ['js app.x', 'a'])).toEqual(['0', '1']);
    expect(keysOf(['html a.html', page('Snake')], ['html b.html', page('Snake')])).toEqual(['0', '1']);
    expect(keysOf(['md', '# Notes\n'], ['md', '# Notes\n'])).toEqual(['0', '1']);
  });

  test('get the file name that a later one has', () => {
    const [document] = documentsOf(['html', page('Snake')], ['html snake.html', page('Snake')]);
    expect(document).toMatchObject({ id: '0', title: 'Snake', fileName: 'snake.html' });
    expect(document?.versions).toHaveLength(2);
  });
});

test('knows the kind by the language, or by the beginning of the text', () => {
  expect(kindOf('HTM', '')).toBe('html');
  expect(kindOf('xml', '<?xml version="1.0"?>\n<!-- x --><svg xmlns="…">')).toBe('svg');
  expect(kindOf('xml', '<rss>')).toBe('code');
  expect(kindOf('', ' <!DOCTYPE html>')).toBe('html');
  expect(kindOf('constructor', '')).toBe('code');
});

test('blocks outside of answers are documents of their own', () => {
  const block = { type: 'code', language: 'html', info: '', text: page('Snake'), open: false } as const;
  expect(documentOf(block)).toMatchObject({ title: 'Snake', kind: 'html' });
  expect(documentOf(block).id).not.toBe(documentOf(block).id);
});
