/** Access of the search to the mounted message list. */
export type ListHandle = {
  readonly scroller: HTMLElement;
  /** Scrolls to a row and renders it; undefined if the list does not contain it. */
  reveal: (key: string) => Promise<HTMLElement | undefined>;
};

export const listHandle: { current: ListHandle | null } = { current: null };
