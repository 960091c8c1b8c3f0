import { expect, test } from 'vitest';
import type { ResourceNode } from './resource-tree.ts';
import { findResources, resourceTree } from './resource-tree.ts';

const of = (...uris: string[]) => uris.map((uri) => ({ uri, name: uri }));
const shape = (nodes: readonly ResourceNode[]): unknown[] =>
  nodes.map(({ label, resource, children }) =>
    children.length === 0 ? label : [resource === undefined ? label : `${label}*`, ...shape(children)],
  );

test('groups resources by scheme, authority and path, folders first, numbers in order', () => {
  const tree = resourceTree(
    of('file:///a/2.txt', 'file:///a/10.txt', 'file:///b.txt', 'db://host/users/1', 'note:today'),
  );
  expect(shape(tree)).toEqual([
    ['db://host/users', '1'],
    ['file://', ['a', '2.txt', '10.txt'], 'b.txt'],
    ['note:', 'today'],
  ]);
});

test('joins folders that have one folder in them, and keeps a resource that is also a folder', () => {
  expect(shape(resourceTree(of('demo://r/a/b/c/1', 'demo://r/a/b/c/2')))).toEqual([['demo://r/a/b/c', '1', '2']]);
  expect(shape(resourceTree(of('x://h/a', 'x://h/a/b')))).toEqual([['x://h/a*', 'b']]);
});

test('keeps queries, broken escapes and texts that are no URI', () => {
  expect(shape(resourceTree(of('x://h/a?b=c/d', 'x://h/%zz', 'x://h/a%20b')))).toEqual([
    ['x://h', '%zz', 'a b', 'a?b=c/d'],
  ]);
  expect(shape(resourceTree(of('plain')))).toEqual(['plain']);
  const keys = resourceTree(of('x://h/a', 'x://h//a', 'y://h/a')).flatMap(({ children }) =>
    children.map(({ key }) => key),
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test('finds resources by every word in title, name, URI and description', () => {
  const all = [
    { uri: 'x://h/1', name: 'one', title: 'First note', description: 'About cats' },
    { uri: 'x://h/2', name: 'two' },
  ];
  expect(findResources(all, 'FIRST cats').map(({ name }) => name)).toEqual(['one']);
  expect(findResources(all, 'h/2').map(({ name }) => name)).toEqual(['two']);
  expect(findResources(all, ' ')).toHaveLength(2);
  expect(findResources(all, 'dogs')).toEqual([]);
});
