/** Access of the search to the mounted message list. */
export type ListHandle = {
  readonly scroller: HTMLElement;
  /** Scrolls to a row and renders it; undefined if the list does not contain it. */
  reveal: (key: string) => Promise<HTMLElement | undefined>;
};

class MountedList {
  /** Null until the code of the list is loaded and the conversation has messages. */
  current: ListHandle | null = $state.raw(null);
}

export const listHandle = new MountedList();
