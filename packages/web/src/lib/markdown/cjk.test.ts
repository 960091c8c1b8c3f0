import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, it, test } from 'vitest';
import { parseMarkdown } from './incremental.ts';
import { lex } from './lexer.ts';

const html = (text: string): string =>
  parseMarkdown(text)
    .map((block) => ('html' in block ? block.html : JSON.stringify(block)))
    .join('\n')
    .replaceAll(/<\/?p[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .trim();

describe('emphasis beside Chinese, Japanese and Korean', () => {
  test.each([
    ['結論是**「可以」**，但要小心。', '結論是<strong>「可以」</strong>，但要小心。'],
    ['**注意：**先備份', '<strong>注意：</strong>先備份'],
    ['這是*（強調）*文字', '這是<em>（強調）</em>文字'],
    ['これは**「重要」**です。', 'これは<strong>「重要」</strong>です。'],
    ['**設定（必須）**を開く', '<strong>設定（必須）</strong>を開く'],
    ['**마크다운(Markdown)**은 쉽다', '<strong>마크다운(Markdown)</strong>은 쉽다'],
    ['**"인용"**이라고 했다', '<strong>"인용"</strong>이라고 했다'],
    ['用**`npm`**安裝', '用<strong><code>npm</code></strong>安裝'],
    ['見**[說明](https://a.example)**第二節', /見<strong><a [^>]*>說明<\/a><\/strong>第二節/],
    ['**外層*「內」*層。**後', '<strong>外層<em>「內」</em>層。</strong>後'],
    ['***《書名》***很好', '<em><strong>《書名》</strong></em>很好'],
    ['原價~~（一百元）~~九十元', '原價<del>（一百元）</del>九十元'],
    ['~~刪除。~~保留', '<del>刪除。</del>保留'],
    ['**第一。**中間**「第二」**尾', '<strong>第一。</strong>中間<strong>「第二」</strong>尾'],
    ['𠮷**（土）**𠮷', '𠮷<strong>（土）</strong>𠮷'],
    ['2**3**の結果', '2<strong>3</strong>の結果'],
    ['使用**“你好”**API', '使用<strong>“你好”</strong>API'],
    ['API**“你好”**是', 'API<strong>“你好”</strong>是'],
    ['重點**——注意——**API', '重點<strong>——注意——</strong>API'],
    ['用~~“舊版”~~API', '用<del>“舊版”</del>API'],
  ])('%s', (text, expected) => {
    if (typeof expected === 'string') expect(html(text)).toBe(expected);
    else expect(html(text)).toMatch(expected);
  });

  test.each([
    '範圍 5~10 元，或 20~30 元',
    '5~10元與100~200倍',
    '~小波浪~',
    'a ~b~ c',
    '變數_（名）_後文',
    '乘法 2 ** 3 ** 4',
    '檔案_名稱_測試',
    '** 空白 **',
  ])('%s has no marks', (text) => expect(html(text)).toBe(text));

  it('encloses any CJK text without spaces, whatever punctuation it begins or ends with', () => {
    const letter = fc.constantFrom('中', '文', 'ひ', 'カ', '한', '글', 'A', '7', '𠮷');
    const mark = fc.constantFrom(
      '「',
      '」',
      '（',
      '）',
      '。',
      '，',
      '：',
      '！',
      '《',
      '》',
      '【',
      '】',
      '・',
      '(',
      ')',
      '"',
      '”',
      '%',
    );
    const cjk = fc.constantFrom('中', 'の', 'は', '은', '。', '、', '」', '𠮷');
    const inner = fc.array(fc.oneof(letter, mark), { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    const span = fc.constantFrom(['**', 'strong'] as const, ['*', 'em'] as const, ['~~', 'del'] as const);
    fc.assert(
      fc.property(cjk, inner, cjk, span, (before, text, after, [run, tag]) => {
        expect(html(`${before}${run}${text}${run}${after}`)).toBe(`${before}<${tag}>${text}</${tag}>${after}`);
      }),
      cases(2_000),
    );
  });

  it('changes no text of other scripts, not even beside a paragraph in Chinese', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '***',
      '_',
      '__',
      '~~',
      'a',
      'é',
      '.',
      ',',
      '(',
      ')',
      '"',
      '-',
      '$',
      ' ',
      '\\',
      '`',
      '[',
      '](u)',
      '5',
      'Ω',
    );
    const text = fc.array(piece, { minLength: 2, maxLength: 14 }).map((all) => `x${all.join('')}`);
    fc.assert(
      fc.property(text, (source) => {
        const [alone] = lex(source, {});
        const [beside] = lex(`${source}\n\n中`, {});
        expect({ ...beside, raw: '' }).toEqual({ ...alone, raw: '' });
      }),
      cases(5_000),
    );
  });
});

describe('blocks without spaces', () => {
  const kinds = (text: string): string[] => parseMarkdown(text).map(({ type }) => type);
  test.each(['##標題', '###一、概述', '######（六）', '##「引用」的標題', '##한국어', '##カタカナ'])(
    '%s is a heading',
    (line) => {
      expect(kinds(line)).toEqual(['heading']);
      expect(html(line)).toBe(line.replace(/^#+/, ''));
      expect(kinds(`文字\n${line}\n文字`)).toEqual(['paragraph', 'heading', 'paragraph']);
    },
  );

  test.each(['#標籤', '#標籤 #二', '#######七', '##abc', '##1', '文字##文字', '＃ 標題'])(
    '%s is no heading',
    (line) => {
      expect(kinds(line)).toEqual(['paragraph']);
      expect(html(`前\n${line}`)).toBe(`前\n${line}`);
    },
  );

  test('a footnote may have a full-width colon', () => {
    expect(kinds('注[^1]。\n\n[^1]：註腳')).toEqual(['paragraph', 'footnote']);
    expect(kinds('注[^1]。\n[^1]：註腳')).toEqual(['paragraph', 'footnote']);
    expect(html('見[^1]：後文')).toContain('</span>：後文');
  });
});

describe('a bare address in a text without spaces', () => {
  const marks = [...'，。、；：？！（）「」『』【】《》〈〉“”‘’…～｡､—‥⋯︰﹐﹑﹒«»،؟।\u200b'];
  test.each(marks)('ends before %s', (mark) => {
    for (const address of ['https://a.example/b', 'https://a.example', 'www.a.example/c?d=1']) {
      expect(html(`見 ${address}${mark}後文`)).toMatch(new RegExp(`>${address.replace('?', '\\?')}</a>${mark}後文$`));
    }
  });

  test.each([
    'https://a.example',
    'http://localhost:3000',
    'http://127.0.0.1:80',
    'https://a.b.example',
    'www.a.example',
  ])('ends after the server in %s即可', (address) =>
    expect(html(`開啟 ${address}即可`)).toContain(`>${address}</a>即可`),
  );

  test.each(['見', '「', '。', '《'])('may follow %s', (mark) => {
    for (const address of ['https://a.example/b', 'www.a.example', 'a@b.example']) {
      expect(html(`${mark}${address}，後文`)).toMatch(new RegExp(`^${mark}<a [^>]*>${address}</a>，後文$`));
    }
  });

  test('ends before a parenthesis that it does not open', () => {
    expect(html('見(https://a.example/b)後')).toContain('>https://a.example/b</a>)後');
    expect(html('見 https://a.example/b_(c)，後')).toContain('>https://a.example/b_(c)</a>，後');
  });

  test.each(['東京・大阪', 'Bose–Einstein', 'I_♥_NY', 'a(b)c', '臺灣'])('may contain %s', (path) => {
    expect(html(`x https://a.example/${path} y`)).toContain(`>https://a.example/${path}`);
  });

  test('may contain letters of any script', () => {
    const address = 'https://zh.wikipedia.org/wiki/臺灣_(島)';
    expect(html(`見 ${address}。`)).toContain(`>${address}</a>。`);
  });
});
