import type { Page } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/** Maximum page size of the API. */
const PAGE_SIZE = 500;

type PageQuery = { limit: number; after?: string };

/** Reads all pages of a list, up to `maxItems` items. */
export async function allPages<T>(read: (query: PageQuery) => Promise<Page<T>>, maxItems = Infinity): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(PAGE_SIZE, maxItems - items.length);
    const page = await read({ limit, ...defined({ after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length < maxItems);
  return items;
}
