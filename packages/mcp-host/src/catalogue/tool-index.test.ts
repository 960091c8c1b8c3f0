import type { ToolReference } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { ListedTool } from './read-tool.ts';
import { ToolIndex } from './tool-index.ts';
import { nameTools } from './tool-names.ts';

const listed = (name: string): ListedTool => ({ name, inputSchema: { type: 'object' }, hasHeaderParameters: false });

function index(servers: Record<string, string[]>): ToolIndex {
  return new ToolIndex(
    Object.entries(servers).map(([serverId, names]) => ({
      serverId,
      origin: 'server',
      builtIn: false,
      tools: names.map(listed),
    })),
  );
}

const namesIn = (from: ToolIndex): string[] => from.tools.map(({ name }) => name);

describe('model-facing names', () => {
  test('keep a name that only one server has', () => {
    expect(namesIn(index({ files: ['read', 'write'], web: ['fetch'] }))).toEqual(['read', 'write', 'fetch']);
  });

  test('qualify a name that two servers have', () => {
    expect(namesIn(index({ files: ['search', 'read'], web: ['search'] }))).toEqual([
      'files__search',
      'read',
      'web__search',
    ]);
  });

  test('replace characters that providers reject', () => {
    expect(namesIn(index({ a: ['notes/find.all', 'größe'] }))).toEqual(['notes_find_all', 'gr__e']);
  });

  test('stay unique when replacing makes them equal, in any order', () => {
    const one = index({ a: ['x.y', 'x_y'] });
    const other = index({ a: ['x_y', 'x.y'] });
    expect(new Set(namesIn(one)).size).toBe(2);
    expect(namesIn(other).toReversed()).toEqual(namesIn(one));
  });

  test('stay unique for two long names that differ at the end', () => {
    const long = 'a'.repeat(80);
    const names = namesIn(index({ a: [`${long}1`, `${long}2`] }));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a]{50,}_[0-9a-z]{8}$/);
  });

  test('stay unique when a tool is named like another one with its server', () => {
    const names = namesIn(index({ a: ['x'], b: ['x'], c: ['a__x'] }));
    expect(new Set(names).size).toBe(3);
  });

  test('follow the order of the servers and of their lists', () => {
    expect(index({ b: ['z', 'y'], a: ['x'] }).tools.map(({ tool }) => `${tool.serverId}/${tool.name}`)).toEqual([
      'b/z',
      'b/y',
      'a/x',
    ]);
  });

  test('list a repeated reference once', () => {
    expect(namesIn(index({ a: ['x', 'x'] }))).toEqual(['x']);
  });
});

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'a_b',
    'a.b',
    'a__b',
    'b',
    '_',
    '__',
    'long'.repeat(20),
    `${'long'.repeat(20)}x`,
    '搜索',
    'é',
    'greet',
    'gr\u0435et',
    'gr\u200beet',
    '\uff47reet',
  ),
  fc.string({ minLength: 1, maxLength: 90 }),
);
const references = fc.uniqueArray(fc.record({ serverId: part, name: part }), {
  maxLength: 40,
  selector: ({ serverId, name }) => JSON.stringify([serverId, name]),
});

describe('for arbitrary tool names', () => {
  test('are unique, short and plain', () => {
    fc.assert(
      fc.property(references, (tools) => {
        const names = nameTools(tools);
        expect(new Set(names).size).toBe(tools.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      }),
      cases(500),
    );
  });

  test('do not depend on the order of servers and tools', () => {
    const shuffled = references.chain((tools) =>
      fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length, maxLength: tools.length })),
    );
    fc.assert(
      fc.property(shuffled, ([tools, other]) => {
        const key = (tool: ToolReference): string => JSON.stringify([tool.serverId, tool.name]);
        const names = nameTools(tools);
        const otherNames = nameTools(other);
        const first = new Map(tools.map((tool, at) => [key(tool), names[at]]));
        const second = new Map(other.map((tool, at) => [key(tool), otherNames[at]]));
        for (const [tool, name] of first) expect(second.get(tool)).toBe(name);
      }),
      cases(300),
    );
  });

  test('resolve to their tool', () => {
    fc.assert(
      fc.property(references, (tools) => {
        const index = new ToolIndex(
          tools.map(({ serverId, name }) => ({ serverId, origin: 'server', builtIn: false, tools: [listed(name)] })),
        );
        for (const { tool, name } of index.tools) expect(index.resolve(name)?.tool).toEqual(tool);
        expect(index.tools.map(({ tool }) => tool)).toEqual(tools.map((tool) => ({ ...tool, origin: 'server' })));
      }),
      cases(300),
    );
  });
});
