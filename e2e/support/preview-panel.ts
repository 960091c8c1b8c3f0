import type { FrameLocator, Locator, Page } from 'playwright-core';

/** The panel beside the chat that shows a document. */
export function getPanel(page: Page): Locator {
  return page.getByRole('complementary', { name: /^Preview:/ });
}

/** The document of a preview: in a frame inside the frame of the page. */
export function getContent(page: Page): FrameLocator {
  return getPanel(page).locator('iframe').contentFrame().locator('iframe').contentFrame();
}
