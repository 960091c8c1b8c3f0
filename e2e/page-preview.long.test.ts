import { test } from 'vitest';
import { describePage } from './support/page-stage.ts';
import { openHostileDocuments } from './support/preview-attack.ts';

describePage('previews', ({ set }) => {
  test('attack 15: twelve hostile documents reach neither the page nor any other host', { timeout: 240_000 }, () =>
    openHostileDocuments(set),
  );
});
