import type { JsonObject, JsonValue } from '@toolyard/protocol';

/** A JSON Schema of an object, written as a literal so that {@link FromJsonSchema} can read it. */
export type ObjectSchema = { readonly type: 'object' } & { readonly [keyword: string]: unknown };

type Simplify<T> = { [K in keyof T]: T[K] };

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

type FromProperties<P, R> = Simplify<
  { -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]> } & {
    -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]>;
  }
>;

type Primitives = { string: string; number: number; integer: number; boolean: boolean; null: null };

type FromType<S, T> = T extends keyof Primitives
  ? Primitives[T]
  : T extends 'array'
    ? S extends { readonly items: infer I }
      ? FromJsonSchema<I>[]
      : JsonValue[]
    : T extends 'object'
      ? S extends { readonly properties: infer P }
        ? FromProperties<P, RequiredKeys<S>>
        : JsonObject
      : JsonValue;

/**
 * The values that a literal JSON Schema describes, by `type`, `properties`, `required`, `items`, `enum`, `const`,
 * `anyOf` and `oneOf`; other keywords are checked at run time only.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer O)[] }
        ? FromJsonSchema<O>
        : S extends { readonly type: readonly (infer T)[] }
          ? FromType<S, T>
          : S extends { readonly type: infer T }
            ? FromType<S, T>
            : JsonValue;
