import { cases, fc } from '@toolyard/testing/property';
import { expect, it, test } from 'vitest';
import { withoutImages } from './diagram-source.ts';

test.each([
  ['A@{ img: "http://a.example/x.png", label: "one", pos: "t" }', 'label: "one", pos: "t" }'],
  ['A@{ shape: rect, img: http://a.example/x.png }', 'A@{ shape: rect,'],
  ["A@{\n  'img' : '//a.example'\n  label: x\n}", 'label: x\n}'],
  ['A@{ IMG: "http://a.example", w: 10 }', 'w: 10 }'],
])('%s loads nothing', (source, kept) => {
  const text = withoutImages(`flowchart\n${source} --> B`);
  expect(text).not.toMatch(/a\.example/);
  expect(text).toContain(kept);
});

test('properties with an escape are left out, other text stays', () => {
  expect(withoutImages('flowchart\nA@{ "\\x69mg": "http://a.example" } --> B')).toBe('flowchart\nA --> B');
  const plain = 'flowchart\nA["img: a{b}"] -->|img: x| B@{ shape: circle, label: "img" }';
  expect(withoutImages(plain)).toBe(plain);
});

it('leaves no image among any properties', () => {
  const value = fc.constantFrom('x', '"a, b"', "'y'", '12');
  const other = fc.tuple(fc.constantFrom('shape', 'label', 'w', 'icon'), value).map(([key, of]) => `${key}: ${of}`);
  const image = fc
    .tuple(fc.constantFrom('img', '"img"', "'img'", 'Img'), fc.constantFrom('"http://h/x"', 'http://h/x', "'//h/x'"))
    .map(([key, of]) => `${key}: ${of}`);
  const properties = fc.array(fc.oneof(other, image), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(properties, fc.constantFrom(', ', ',\n', '\n'), (all, separator) => {
      expect(withoutImages(`A@{ ${all.join(separator)} }`)).not.toMatch(/\/\/h/);
    }),
    cases(500),
  );
});
