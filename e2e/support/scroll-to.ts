import { eventually } from '@toolyard/testing';
import type { Locator } from 'playwright-core';

/** Scrolls to an element that may be replaced in the meantime, such as a diagram by its image. */
export async function scrollTo(element: Locator): Promise<void> {
  await eventually(
    async () => {
      await element.scrollIntoViewIfNeeded({ timeout: 1_000 });
      return true;
    },
    { what: `scrolling to ${String(element)}` },
  );
}
