import { describe, expect, test } from 'vitest';
import { treeAction, visibleRows } from './tree-rows.ts';

type Node = { key: string; label: string; children: Node[] };
const node = (label: string, ...children: Node[]): Node => ({ key: label, label, children });
const nodes = [node('docs', node('api', node('auth')), node('guide')), node('readme')];
const open = new Set(['docs', 'api']);
const isOpen = ({ key }: Node): boolean => open.has(key);

describe('keys in a tree', () => {
  const rows = visibleRows(nodes, isOpen);
  const after = (key: string, from: string) => {
    const at = rows.findIndex((row) => row.node.label === from);
    const action = treeAction(key, rows, at, isOpen);
    return action?.type === 'focus' ? rows[action.index]?.node.label : (action?.type ?? null);
  };

  test('shows the children of expanded nodes only, with their level and position', () => {
    expect(rows.map((row) => [row.node.label, row.depth, row.position, row.size])).toEqual([
      ['docs', 0, 1, 2],
      ['api', 1, 1, 2],
      ['auth', 2, 1, 1],
      ['guide', 1, 2, 2],
      ['readme', 0, 2, 2],
    ]);
    expect(visibleRows(nodes, () => false).map((row) => row.node.label)).toEqual(['docs', 'readme']);
  });

  test.each([
    ['ArrowDown', 'docs', 'api'],
    ['ArrowDown', 'readme', 'readme'],
    ['ArrowUp', 'docs', 'docs'],
    ['Home', 'guide', 'docs'],
    ['End', 'docs', 'readme'],
    ['ArrowRight', 'docs', 'api'],
    ['ArrowRight', 'auth', 'auth'],
    ['ArrowLeft', 'guide', 'docs'],
    ['ArrowLeft', 'auth', 'api'],
    ['ArrowLeft', 'readme', 'readme'],
    ['ArrowLeft', 'docs', 'toggle'],
    ['Enter', 'auth', 'activate'],
    [' ', 'docs', 'activate'],
    ['a', 'docs', 'api'],
    ['A', 'api', 'auth'],
    ['a', 'auth', 'api'],
    ['x', 'guide', 'guide'],
    ['Tab', 'docs', null],
  ])('%s on %s: %s', (key, from, expected) => {
    expect(after(key, from)).toBe(expected);
  });

  test('expands a collapsed node before it enters it', () => {
    const collapsed = visibleRows(nodes, () => false);
    expect(treeAction('ArrowRight', collapsed, 0, () => false)).toEqual({ type: 'toggle' });
  });
});
