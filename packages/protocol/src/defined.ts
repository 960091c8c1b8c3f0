type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy without the properties that are undefined: stored and sent JSON must not contain them, and optional properties
 * do not accept them (`exactOptionalPropertyTypes`).
 *
 * @example
 * const options = { url, ...defined({ timeoutMs, headers: config.headers }) };
 */
export function defined<T extends object>(values: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  for (const key in values) if (values[key] !== undefined) copy[key] = values[key];
  return copy as Defined<T>;
}
