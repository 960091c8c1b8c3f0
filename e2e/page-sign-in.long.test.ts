import { test } from 'vitest';
import { describePage } from './support/page-stage.ts';
import { signInFromTab } from './support/tab-sign-in.ts';

describePage('signing in', (stages) => {
  test('to a server of this browser only, through the proxy: the sign-in lasts as long as the tab', () =>
    signInFromTab(stages, true));
});
