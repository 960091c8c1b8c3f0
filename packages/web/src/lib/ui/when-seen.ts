/** For `{@attach}`: does something once the place is about to be seen. */
export function whenSeen(act: () => void): (node: HTMLElement) => () => void {
  return (node) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) act();
      },
      { rootMargin: '300px' },
    );
    observer.observe(node);
    return () => observer.disconnect();
  };
}
