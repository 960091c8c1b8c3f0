import type { Page } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

const MOST_A_PAGE = 500;

type PageQuery = { limit: number; after?: string };

/** All items of a list, read page by page. */
export async function allPages<T>(read: (query: PageQuery) => Promise<Page<T>>, most = Infinity): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(MOST_A_PAGE, most - items.length);
    const page = await read({ limit, ...defined({ after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length < most);
  return items;
}
