/** For `{@attach}`: does something once the place is seen, or so many pixels before. */
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
