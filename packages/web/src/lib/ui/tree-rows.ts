/** A node of a tree. */
export type TreeNode<Self> = {
  /** Unique in the tree. */
  key: string;
  /** Typed letters move to the next node whose label starts with them. */
  label: string;
  children: readonly Self[];
};

/** A visible node. */
export type TreeRow<Node> = { node: Node; depth: number; position: number; size: number };

/** Rendered children of a node. */
const MAX_SHOWN = 500;

/** The visible nodes from top to bottom. */
export function visibleRows<Node extends TreeNode<Node>>(
  nodes: readonly Node[],
  isOpen: (node: Node) => boolean,
  depth = 0,
): TreeRow<Node>[] {
  return nodes
    .slice(0, MAX_SHOWN)
    .flatMap((node, index) => [
      { node, depth, position: index + 1, size: nodes.length },
      ...(node.children.length > 0 && isOpen(node) ? visibleRows(node.children, isOpen, depth + 1) : []),
    ]);
}

/** What a key does in a tree (WAI-ARIA tree view): focus another row, expand or collapse this one, or activate it. */
export type TreeAction = { type: 'focus'; index: number } | { type: 'toggle' } | { type: 'activate' };

export function treeAction<Node extends TreeNode<Node>>(
  key: string,
  rows: readonly TreeRow<Node>[],
  at: number,
  isOpen: (node: Node) => boolean,
): TreeAction | null {
  const row = rows[at];
  if (row === undefined) return null;
  const isFolder = row.node.children.length > 0;
  const focus = (index: number): TreeAction => ({
    type: 'focus',
    index: Math.min(Math.max(index, 0), rows.length - 1),
  });
  switch (key) {
    case 'ArrowDown':
      return focus(at + 1);
    case 'ArrowUp':
      return focus(at - 1);
    case 'Home':
      return focus(0);
    case 'End':
      return focus(rows.length - 1);
    case 'ArrowRight':
      if (!isFolder) return focus(at);
      return isOpen(row.node) ? focus(at + 1) : { type: 'toggle' };
    case 'ArrowLeft':
      if (isFolder && isOpen(row.node)) return { type: 'toggle' };
      return focus(findParent(rows, at) ?? at);
    case 'Enter':
    case ' ':
      return { type: 'activate' };
    default:
      return [...key].length === 1 ? focus(nextWithLetter(key, rows, at)) : null;
  }
}

function findParent<Node>(rows: readonly TreeRow<Node>[], at: number): number | null {
  const depth = rows[at]?.depth ?? 0;
  const found = rows.findLastIndex((row, index) => index < at && row.depth < depth);
  return found === -1 ? null : found;
}

function nextWithLetter<Node extends TreeNode<Node>>(
  letter: string,
  rows: readonly TreeRow<Node>[],
  at: number,
): number {
  const order = [...rows.keys()].map((_, index) => (at + 1 + index) % rows.length);
  return order.find((index) => rows[index]?.node.label.toLowerCase().startsWith(letter.toLowerCase()) === true) ?? at;
}
