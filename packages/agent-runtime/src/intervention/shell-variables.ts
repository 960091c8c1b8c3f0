import { MAX_ALTERNATIVES, UNKNOWN } from './shell-text.ts';

/**
 * The possible values of a script's variables. The script is read once from top to bottom, so a variable that is
 * assigned again after use (in a loop or function) is reported in `changed`; the next pass treats it as volatile: any
 * value is possible.
 */
export class ShellVariables {
  readonly #values = new Map<string, readonly string[]>();
  readonly #read = new Set<string>();
  readonly #volatile: ReadonlySet<string>;
  readonly changed = new Set<string>();

  constructor(volatile: ReadonlySet<string>) {
    this.#volatile = volatile;
  }

  /** The possible values; undefined if the script has not set the variable. */
  get(name: string): readonly string[] | undefined {
    return this.#values.get(name);
  }

  /** Records a use: a later assignment counts as a change. */
  use(name: string): void {
    this.#read.add(name);
  }

  /** An assignment that may or may not happen: earlier values stay possible. */
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
    const all = values.length > MAX_ALTERNATIVES ? [UNKNOWN] : [...new Set(values)];
    this.#values.set(name, this.#volatile.has(name) ? [...new Set([...all, UNKNOWN])] : all);
  }
}
