/** Lets the keyboard reach what scrolls sideways, but only where there is something to scroll. */
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
