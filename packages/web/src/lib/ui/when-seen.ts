/** For `{@attach}`: calls back once the element is visible, or within this margin in pixels. */
export function whenSeen(act: () => void, before = 300): (node: HTMLElement) => () => void {
  return (node) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) act();
      },
      { rootMargin: `${String(before)}px` },
    );
    observer.observe(node);
    return () => observer.disconnect();
  };
}
