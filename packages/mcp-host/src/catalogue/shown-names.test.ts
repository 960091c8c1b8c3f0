import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { areLookalikes, nameShape, showName } from '@toolyard/protocol';

/** Written from the Unicode confusables by hand: not the tables of the source. */
const IMITATIONS: readonly [string, string][] = [
  ['a', '\u0430'],
  ['a', '\u0251'],
  ['a', '\uff41'],
  ['a', '\u{1d41a}'],
  ['a', '\u{1d5ba}'],
  ['c', '\u0441'],
  ['c', '\u03f2'],
  ['d', '\u0501'],
  ['e', '\u0435'],
  ['e', '\u212f'],
  ['g', '\u0261'],
  ['h', '\u04bb'],
  ['i', '\u0456'],
  ['i', '\u2170'],
  ['j', '\u0458'],
  ['k', '\u039a'],
  ['l', '\u04cf'],
  ['l', '\u217c'],
  ['m', '\u041c'],
  ['n', '\u0578'],
  ['o', '\u043e'],
  ['o', '\u03bf'],
  ['o', '\u0585'],
  ['p', '\u0440'],
  ['p', '\u03c1'],
  ['q', '\u051b'],
  ['s', '\u0455'],
  ['t', '\u03a4'],
  ['u', '\u057d'],
  ['v', '\u03bd'],
  ['v', '\u0475'],
  ['w', '\u051d'],
  ['x', '\u0445'],
  ['y', '\u0443'],
  ['0', '\uff10'],
  ['1', '\u{1d7cf}'],
];
const INVISIBLE =
  '\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2063\u2066\u2069\ufeff\u00ad\u034f\u061c\u180e\u115f\u3164\u{e0041}\u2800\ufe0f';
const MARKS = '\u0301\u0323\u0332\u0307\u0336\u20d2\u0489';
const SEPARATORS = '\u2010\u2011\u2013\u2014\u2212\u00a0\u2002\u2024\uff3f\u203f\u02cd';

const word = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/);
const names = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .chain((words) => fc.constantFrom('_', '-', '.').map((between) => words.join(between)));

/** A name that looks like another one, and is not it. */
const imitation = names.chain((name) => {
  const places = IMITATIONS.flatMap(([letter, twin]) =>
    [...name].flatMap((each, at) => (each === letter ? [name.slice(0, at) + twin + name.slice(at + 1)] : [])),
  );
  const inserted = fc
    .tuple(fc.constantFrom(...INVISIBLE, ...MARKS), fc.integer({ min: 1, max: name.length }))
    .map(([character, at]) => name.slice(0, at) + character + name.slice(at));
  const whole = [...name].map((each) => IMITATIONS.find(([letter]) => letter === each)?.[1] ?? each).join('');
  const all = [...places, ...(whole === name ? [] : [whole])];
  const separated = /[_.-]/.test(name)
    ? [...SEPARATORS].filter((each) => each !== '\u2212').map((each) => name.replace(/[_.-]/, each))
    : [];
  const chosen = [...all, ...separated];
  const made = chosen.length === 0 ? inserted : fc.oneof(inserted, fc.constantFrom(...chosen));
  return made.map((twin) => ({ name, twin }));
});

describe('names of tools', () => {
  test('are never shown like another name', () => {
    fc.assert(
      fc.property(imitation, ({ name, twin }) => {
        expect(showName(twin)).toMatch(/^[ -~]*(⟨U\+[0-9A-F]{4,6}⟩[ -~]*)+$/);
        expect(showName(name)).toBe(name);
      }),
      cases(500),
    );
  });

  test('that imitate another are flagged, on the same server and on another', () => {
    fc.assert(
      fc.property(imitation, ({ name, twin }) => {
        expect(areLookalikes({ serverId: 'a', name }, { serverId: 'a', name: twin })).toBe(true);
        expect(areLookalikes({ serverId: 'b', name: twin }, { serverId: 'a', name })).toBe(true);
        expect(areLookalikes({ serverId: name, name: 'x' }, { serverId: twin, name: 'x' })).toBe(true);
      }),
      cases(500),
    );
  });

  test.each([
    ['gr\u0435et', 'gr⟨U+0435⟩et'],
    ['\u0441\u043e\u0440\u0443', '⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0443⟩'],
    ['del\u202eete', 'del⟨U+202E⟩ete'],
    ['get\u2011date', 'get⟨U+2011⟩date'],
    ['\uff47et', '⟨U+FF47⟩et'],
    ['e\u0301', 'e⟨U+0301⟩'],
    ['wр\u03b1', 'w⟨U+0440⟩⟨U+03B1⟩'],
    ['搜索\u0435', '搜索⟨U+0435⟩'],
  ])('show what takes the place of a letter: %s', (name, shown) => {
    expect(showName(name)).toBe(shown);
  });

  test.each([
    'read_file',
    'größe',
    'naïve café',
    'погода',
    'сервер',
    'найти_файл',
    'καιρός',
    'שלום',
    '搜索API',
    '天氣（今天）',
    'データ取得',
    '날씨',
    'हिन्दी',
    'Größe in m²',
    'sırala',
    '⚠️ Delete',
    'Files – read',
  ])('stay as they are in one script: %s', (name) => {
    expect(showName(name)).toBe(name);
  });

  test.each([
    ['search', 'search', false],
    ['readFile', 'read_file', false],
    ['1ist', 'list', true],
    ['forn', 'fom', true],
    ['か', 'が', false],
    ['read', 'write', false],
  ])('of two servers: %s and %s', (one, other, clash) => {
    expect(areLookalikes({ serverId: 'a', name: one }, { serverId: 'b', name: other })).toBe(clash);
  });

  test('of one server that differ in case or separators look alike', () => {
    expect(areLookalikes({ serverId: 'a', name: 'get-date' }, { serverId: 'a', name: 'get_date' })).toBe(true);
    expect(areLookalikes({ serverId: 'a', name: 'x' }, { serverId: 'a', name: 'x' })).toBe(false);
  });

  test('of signs only have a shape of their own', () => {
    expect(nameShape('---')).not.toBe(nameShape('+++'));
  });
});
