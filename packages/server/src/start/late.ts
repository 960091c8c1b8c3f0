/** A value that is known only after the parts that use it exist, because it is made of them. */
export type Late<T> = {
  /** @throws Error if it is not known yet */
  get(): T;
  set(value: T): void;
};

/** @param name of the value, for the error */
export function createLate<T>(name: string): Late<T> {
  let known: { value: T } | undefined;
  return {
    get() {
      if (known) return known.value;
      throw new Error(`${name}: used during the start, before it is known.`);
    },
    set(value) {
      known = { value };
    },
  };
}
