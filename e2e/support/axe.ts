import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Half a megabyte. The builder would compile it twice for each check. */
const AXE = createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js');

/** Violations of accessibility rules in a page, or in a part of it; with `rules`, of these rules only. */
export async function axeFinds(
  page: Page,
  { within, rules }: { within?: string; rules?: string[] } = {},
): Promise<string[]> {
  // During a transition a colour is neither the old nor the new one.
  await page.evaluate(
    `Promise.all(document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? [each.finished.catch(() => {})] : [])))`,
  );
  const axe = page.frames().length === 1 ? await forSingleFrame(page) : new AxeBuilder({ page });
  // Collecting passed rules takes longer than the check.
  axe.options({ resultTypes: ['violations'] });
  if (within !== undefined) axe.include(within);
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`,
  );
}

/** Loads axe once per document. Only results of several frames are combined in another page, so legacy mode suffices. */
async function forSingleFrame(page: Page): Promise<AxeBuilder> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(readFileSync(AXE, 'utf8'));
  return new AxeBuilder({ page, axeSource: 'void 0' }).setLegacyMode();
}
