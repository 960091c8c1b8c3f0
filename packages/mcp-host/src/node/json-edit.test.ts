import { cases, fc } from '@toolyard/testing/property';
import type { ParseError } from 'jsonc-parser';
import { parse, parseTree, visit } from 'jsonc-parser';
import type { JsonValue } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { setInJson } from './json-edit.ts';

describe('setInJson', () => {
  it('adds a value after the last one and its comments', () => {
    const text = '{\n\t"a": 1, // one\n\t"b": 2 // two\n\t// the end\n}\n';
    expect(setInJson(text, ['c'], 3)).toBe('{\n\t"a": 1, // one\n\t"b": 2, // two\n\t// the end\n\t"c": 3\n}\n');
  });

  it('keeps a trailing comma', () => {
    expect(setInJson('{\n  "a": 1,\n}', ['b'], { c: [1] })).toBe('{\n  "a": 1,\n  "b": {\n    "c": [1]\n  },\n}');
  });

  it('adds to a one-line object on the same line', () => {
    expect(setInJson('{"x": {"a": 1}}', ['x', 'b'], true)).toBe('{"x": {"a": 1, "b": true}}');
    expect(setInJson('{ "a": 1 }', ['b'], { c: 2 })).toBe('{ "a": 1, "b": { "c": 2 } }');
  });

  it('adds to an empty text', () => {
    expect(setInJson('', ['mcpServers', 'a'], { command: 'x' })).toBe(
      '{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}',
    );
    expect(setInJson('{\n}\n', ['a'], 1)).toBe('{\n  "a": 1\n}\n');
  });

  it('uses the line endings and indentation of the file', () => {
    expect(setInJson('{\r\n    "a": {}\r\n}\r\n', ['a', 'b'], { c: 1 })).toBe(
      '{\r\n    "a": {\r\n        "b": {\r\n            "c": 1\r\n        }\r\n    }\r\n}\r\n',
    );
  });

  it('removes a value with its comma but not the comments around it', () => {
    const text = '{\n  "a": 1, // one\n  // about b\n  "b": 2, // two\n  "c": 3 /* three */\n}';
    expect(setInJson(text, ['b'], undefined)).toBe(
      '{\n  "a": 1, // one\n  // about b\n  // two\n  "c": 3 /* three */\n}',
    );
    expect(setInJson(text, ['c'], undefined)).toBe(
      '{\n  "a": 1, // one\n  // about b\n  "b": 2 // two\n  /* three */\n}',
    );
    expect(setInJson('{"a": 1, "b": 2}', ['b'], undefined)).toBe('{"a": 1 }');
    expect(setInJson('{"a": 1, "b": 2}', ['a'], undefined)).toBe('{"b": 2}');
  });

  it('removes a duplicate key entirely', () => {
    expect(parse(setInJson('{"x": {"a": 1, "b": 2, "a": 3}}', ['x', 'a'], undefined))).toEqual({ x: { b: 2 } });
  });
});

const key = fc.constantFrom('a', 'b', 'command', 'ключ', 'with space', 'with "quotes"');
const leaf = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
);
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaf, fc.dictionary(key, tie('tree'), { maxKeys: 4 })),
}));

/** Handwritten JSON: comments and blanks anywhere, optional trailing commas, on one or more lines. */
const written = fc
  .record({
    value: fc.dictionary(key, tree, { maxKeys: 5 }),
    seed: fc.array(fc.nat(9), { minLength: 40, maxLength: 40 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    indent: fc.constantFrom('  ', '\t', '    '),
  })
  .map(({ value, seed, lineEnd, indent }) => write(value, seed, lineEnd, indent));

function write(root: JsonValue, seed: readonly number[], lineEnd: string, indent: string): string {
  let at = 0;
  let comments = 0;
  const next = (): number => seed[at++ % seed.length] ?? 0;
  const trivia = (): string => {
    switch (next()) {
      case 0:
        return `/* c${comments++} , } */`;
      case 1:
        return ` // c${comments++} , { "\n`.replace('\n', lineEnd);
      case 2:
        return lineEnd;
      default:
        return '';
    }
  };
  const render = (value: JsonValue, depth: number): string => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
    const spread = next() > 3;
    const pad = (level: number): string => (spread ? lineEnd + indent.repeat(level) : '');
    const entries = Object.entries(value).map(
      ([name, one]) =>
        `${pad(depth + 1)}${trivia()}${JSON.stringify(name)}${trivia()}: ${trivia()}${render(one, depth + 1)}${trivia()}`,
    );
    const trailing = entries.length > 0 && next() === 9 ? ',' : '';
    return `{${entries.join(',')}${trailing}${trivia()}${pad(depth)}}`;
  };
  return trivia() + render(root, 0) + trivia();
}

const change = fc.record({
  path: fc.array(key, { minLength: 1, maxLength: 3 }),
  value: fc.option(tree, { nil: undefined }),
});

function listComments(text: string, from = 0, to = text.length): string[] {
  const found: string[] = [];
  visit(text, {
    onComment: (offset, length) =>
      void (offset >= from && offset < to && found.push(text.slice(offset, offset + length).trim())),
  });
  return found;
}

/** The reference implementation of the same change. */
function changed(root: JsonValue, [first, ...rest]: readonly string[], value: JsonValue | undefined): JsonValue {
  if (first === undefined) return value ?? root;
  const isObject = typeof root === 'object' && root !== null && !Array.isArray(root);
  if (!isObject) return value === undefined ? root : changed({}, [first, ...rest], value);
  const held = Object.hasOwn(root, first) ? root[first] : undefined;
  if (value === undefined && held === undefined) return root;
  if (rest.length > 0) return { ...root, [first]: changed(held === undefined ? {} : held, rest, value) };
  const { [first]: _gone, ...others } = root;
  return value === undefined ? others : { ...root, [first]: value };
}

describe('changes in a handwritten file', () => {
  it('have the expected value and keep everything else: keys, order, comments', () => {
    fc.assert(
      fc.property(written, fc.array(change, { minLength: 1, maxLength: 6 }), (text, changes) => {
        let now = text;
        for (const { path, value } of changes) {
          const before = parse(now, [], { allowTrailingComma: true }) as JsonValue;
          const after = setInJson(now, path, value);
          const errors: ParseError[] = [];
          const meant = changed(before, path, value);
          expect(parse(after, errors, { allowTrailingComma: true })).toEqual(meant);
          expect(errors).toEqual([]);
          expect(Object.keys(parse(after) as object)).toEqual(Object.keys(meant as object));
          now = after;
        }
      }),
      cases(500),
    );
  });

  it('keep every comment outside of what is replaced or removed', () => {
    fc.assert(
      fc.property(written, change, (text, { path, value }) => {
        const after = listComments(setInJson(text, path, value));
        const before = listComments(text);
        const inside = listComments(text, ...findSpan(text, path, value === undefined));
        expect(after).toEqual(before.filter((comment) => !inside.includes(comment)));
      }),
      cases(500),
    );
  });
});

/** The range of what a change replaces or removes. */
function findSpan(text: string, path: readonly string[], isGone: boolean): [from: number, to: number] {
  let node = parseTree(text, [], { allowTrailingComma: true });
  for (const [depth, name] of path.entries()) {
    const property = node?.children?.find((each) => each.children?.[0]?.value === name);
    const value = property?.children?.[1];
    if (node?.type !== 'object' || property === undefined || value === undefined) break;
    const isLast = depth === path.length - 1;
    const replaced = isLast && isGone ? property : value;
    if (isLast || (value.type !== 'object' && !isGone)) return [replaced.offset, replaced.offset + replaced.length];
    node = value;
  }
  return [0, 0];
}
