export type Page<T> = { items: T[]; next?: string };
