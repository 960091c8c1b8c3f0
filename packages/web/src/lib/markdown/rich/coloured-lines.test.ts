import { cases, fc } from '@toolyard/testing/property';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ColouredLines } from './coloured-lines.ts';
import { loadColourLines } from './highlighter.ts';
import { languageId } from './languages.ts';

const CODE = [
  'export function answer(question: string): number {',
  '  /* a comment',
  '     over <lines> & more */',
  '  const text = `a template ${question}`;',
  "  return text === '' ? 0 : 42;",
  '}',
  '',
].join('\n');

const whole = { open: false, now: () => 0 };

function plain(html: string): string {
  return html
    .replace(/<span class="hl-[a-z-]+">|<\/span>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

describe('highlighting of streaming code', async () => {
  const colour = await loadColourLines('typescript');
  afterEach(() => void vi.restoreAllMocks());

  it('gives the same result as highlighting it at once, whatever the chunks', () => {
    const text = CODE.repeat(12);
    const atOnce = new ColouredLines(colour);
    atOnce.update(text);
    atOnce.work(1, whole);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (ends) => {
        const growing = new ColouredLines(colour);
        for (const end of ends.sort((a, b) => a - b)) {
          growing.update(text.slice(0, end));
          growing.work(1, { open: true, now: () => 0 });
          expect(plain(growing.pieces.join('')) + growing.rest).toBe(text.slice(0, end));
        }
        growing.update(text);
        growing.work(1, whole);
        expect(growing.pieces.join('')).toBe(atOnce.pieces.join(''));
        expect(growing.rest).toBe('');
      }),
      cases(25),
    );
  });

  it('has the same colours after the page was blocked', () => {
    const { html } = colour(CODE, undefined);
    let at = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => (at += 60_000));
    expect(colour(CODE, undefined).html).toBe(html);
  });

  it('highlights a comment over several lines', () => {
    const lines = new ColouredLines(colour);
    lines.update(CODE);
    lines.work(1, whole);
    expect(lines.pieces.join('')).toContain(
      '<span class="hl-token-comment">     over &lt;lines&gt; &amp; more */</span>',
    );
  });

  it('stops at its time limit and continues later', () => {
    let time = 0;
    const lines = new ColouredLines((source, state) => ((time += 5), colour(source, state)));
    lines.update(CODE.repeat(10));
    expect(lines.work(8, { open: false, now: () => time })).toBe(true);
    expect(lines.rest).not.toBe('');
    while (lines.work(8, { open: false, now: () => time }));
    expect(lines.rest).toBe('');
  });

  it('restarts for another text', () => {
    const lines = new ColouredLines(colour);
    lines.update('const a = 1;\n');
    lines.work(1, whole);
    lines.update('let b;');
    lines.work(1, whole);
    expect(plain(lines.pieces.join(''))).toBe('let b;');
  });
});

describe('language names', () => {
  it.each([
    ['ts', 'typescript'],
    ['C++', 'cpp'],
    ['Dockerfile', 'docker'],
    ['constructor', null],
    ['', null],
  ])('maps %s to %s', (name, id) => {
    expect(languageId(name)).toBe(id);
  });

  it.each([
    ['bash', 'echo "b" # c'],
    ['yml', 'a: "b" # c'],
    ['py', 'a = "b" # c'],
    ['json', '{ "a": true }'],
    ['html', '<i title="b">c</i>'],
    ['vue', '<template><i>c</i></template>'],
    ['tex', '\\emph{b} % c'],
  ])('%s has a grammar', async (name, code) => {
    const id = languageId(name);
    expect(id).not.toBeNull();
    if (id !== null) expect((await loadColourLines(id))(code, undefined).html).toContain('hl-');
  });
});
