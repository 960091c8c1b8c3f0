import type { z } from 'zod';

/** Every property, however deep, as if it were required: an optional one that is missing on one side shows then. */
type Whole<T> = { [K in keyof T]-?: Whole<T[K]> };

type Fits<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

type Same<A, B> = Fits<A, B> extends true ? Fits<Whole<A>, Whole<B>> : false;

/**
 * Gives a schema back as one of `T`, and does not compile where the two have drifted apart.
 *
 * @example const regenerate = exactly<Regenerate>()(z.strictObject({ messageId: id }));
 */
export function exactly<T>() {
  return <S extends z.ZodType>(schema: Same<z.output<S>, T> extends true ? S : never): z.ZodType<T> =>
    // The condition above is the proof; a conditional type does not carry it over.
    schema as unknown as z.ZodType<T>;
}
