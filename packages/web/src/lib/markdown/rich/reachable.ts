/**
 * Makes elements that scroll focusable, but only if they overflow, and names the edges behind which there is more
 * content in `data-clipped`, for the stylesheet to fade them.
 */
export function reachable(node: HTMLElement): () => void {
  const update = (): void => {
    const room = node.scrollWidth - node.clientWidth;
    // Negative in right-to-left content.
    const left = getComputedStyle(node).direction === 'rtl' ? room + node.scrollLeft : node.scrollLeft;
    if (room > 1 || node.scrollHeight > node.clientHeight + 1) node.tabIndex = 0;
    else node.removeAttribute('tabindex');
    node.dataset['clipped'] = room <= 1 ? '' : `${left > 1 ? 'left' : ''}${room - left > 1 ? 'right' : ''}`;
  };
  const size = new ResizeObserver(update);
  size.observe(node);
  const [content] = node.children;
  if (content !== undefined) size.observe(content);
  node.addEventListener('scroll', update, { passive: true });
  return () => {
    size.disconnect();
    node.removeEventListener('scroll', update);
  };
}
