import { z } from 'zod';
import { SEARCH_ENGINES } from '../search-engines.ts';
import { namedObject } from './common.ts';

const searchEngine = z.enum(SEARCH_ENGINES);

const url = z
  .string()
  .max(2_000)
  .refine((text) => /^https?:\/\/./i.test(text) && URL.canParse(text.replaceAll(/[{}]/g, '')), {
    message: 'expected a URL that begins with http:// or https://',
  });
const origin = url.transform((text) => new URL(text).origin);

const search = z.strictObject({
  engine: searchEngine,
  /** Required for `searxng`, and for `custom`, where it contains `{query}`. */
  url: url.exactOptional(),
});

/** As it is stored, without the key. */
export const storedWebTools = z.strictObject({
  search: search.nullable(),
  /** Origins in private networks that `web_fetch` may read. */
  privateOrigins: z.array(origin).max(50),
});

export const webToolsView = namedObject('WebToolsView', {
  search: z.strictObject({ ...search.shape, hasKey: z.boolean() }).nullable(),
  privateOrigins: z.array(z.string()),
});
/** The settings of the tools that reach the web; the key of the search engine is not returned. */
export type WebToolsView = z.output<typeof webToolsView>;

export const setWebToolsBody = namedObject('SetWebTools', {
  search: z.strictObject({ ...search.shape, key: z.string().max(1_000).exactOptional() }).nullable(),
  privateOrigins: z.array(url).max(50),
});
/** Without a `key` the stored one stays, unless engine or host change; an empty one deletes it. */
export type SetWebTools = z.output<typeof setWebToolsBody>;
