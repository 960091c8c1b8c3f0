import { MOST_ALTERNATIVES, UNKNOWN } from './shell-text.ts';

/**
 * The values that the variables of a script may have. A script is read top to bottom once, so a variable that gets another
 * value later (in a loop, in a function) is reported in `changed`; the next pass takes it as volatile: it may be anything.
 */
export class ShellVariables {
  readonly #values = new Map<string, readonly string[]>();
  readonly #read = new Set<string>();
  readonly #volatile: ReadonlySet<string>;
  readonly changed = new Set<string>();

  constructor(volatile: ReadonlySet<string>) {
    this.#volatile = volatile;
  }

  /** The values it may have; undefined if the script has not set it so far. */
  get(name: string): readonly string[] | undefined {
    return this.#values.get(name);
  }

  /** Notes that its value was used: an assignment that follows is a change. */
  use(name: string): void {
    this.#read.add(name);
  }

  /** An assignment that may or may not take place: earlier values stay possible. */
  assign(name: string, values: readonly string[]): void {
    const before = this.#values.get(name);
    if (before === undefined) return this.set(name, values);
    if (before.length === values.length && before.every((value, at) => value === values[at])) return;
    this.changed.add(name);
    this.set(name, [...before, ...values]);
  }

  /** Replaces the values. */
  set(name: string, values: readonly string[]): void {
    if (this.#read.has(name) && !this.#values.has(name)) this.changed.add(name);
    if (this.#volatile.has(name)) this.changed.delete(name);
    const all = values.length > MOST_ALTERNATIVES ? [UNKNOWN] : [...new Set(values)];
    this.#values.set(name, this.#volatile.has(name) ? [...new Set([...all, UNKNOWN])] : all);
  }
}
