import type { Locator, Page } from 'playwright-core';
import type { PageTexts } from './page-texts.ts';

/** Paths of the conversations that the views show, by name. */
export type Conversations = Readonly<Record<string, string>>;

/** A state of the page. */
export type View = {
  name: string;
  path: (of: Conversations) => string;
  /** It does not exist on touch screens. */
  needsKeyboard?: true;
  /** Brings the page from what its path shows to this state. */
  show: (page: Page, t: PageTexts) => Promise<void>;
};

export function button(within: Page | Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

export function getMessages(page: Page, t: PageTexts): Locator {
  return page.getByRole('main').getByLabel(t('chat.log'), { exact: true });
}

/** Matches a text with any value for its placeholder. */
export function pattern(t: PageTexts, key: string, placeholder: string): RegExp {
  const [before = '', after = ''] = t(key, { [placeholder]: '%%' }).split('%%');
  const escape = (text: string): string => text.replaceAll(/[^\w\s]/g, '\\$&');
  return new RegExp(`^${escape(before)}.*${escape(after)}$`);
}

/** Opens all folded parts. Not by pointer: what opens moves the next. */
export async function unfoldAll(within: Locator): Promise<void> {
  const folded = within.locator('[aria-expanded=false]:not([aria-haspopup])');
  for (let left = 20; left > 0 && (await folded.count()) > 0; left--) await folded.first().dispatchEvent('click');
}

/** Follows a link to a path: cheaper than loading the page again. */
export async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(path)} });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await page.waitForURL((url) => url.pathname + url.search === path);
}

/** Closes dialogs and menus: some outlive a navigation. Returns how many remain open. */
export async function closeOverlays(page: Page): Promise<number> {
  const overlays = page.locator('dialog[open], [popover]:popover-open');
  for (let left = 5; left > 0 && (await overlays.count()) > 0; left--) await page.keyboard.press('Escape');
  return overlays.count();
}
