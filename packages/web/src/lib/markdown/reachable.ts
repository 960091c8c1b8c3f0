/** Makes elements that scroll horizontally focusable, but only if they overflow. */
export function reachable(node: HTMLElement): () => void {
  const size = new ResizeObserver(() => {
    if (node.scrollWidth > node.clientWidth + 1) node.tabIndex = 0;
    else node.removeAttribute('tabindex');
  });
  size.observe(node);
  const [content] = node.children;
  if (content !== undefined) size.observe(content);
  return () => size.disconnect();
}
