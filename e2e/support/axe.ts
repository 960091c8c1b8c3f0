import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What a check of accessibility finds wrong in a page, or in a part of it; with `rules`, by these rules alone. */
export async function axeFinds(
  page: Page,
  { within, rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  // What is right need not be described: that takes longer than the check.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  // Only what several frames found is put together in a page of its own.
  if (page.frames().length === 1) axe.setLegacyMode();
  if (within !== undefined) axe.include(within);
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`,
  );
}
