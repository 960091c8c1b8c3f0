import { afterAll, afterEach, describe, expect } from 'vitest';
import { needs } from '@toolyard/testing';
import { closeBrowser } from './browser.ts';
import type { Stage } from './stage.ts';
import { setStage } from './stage.ts';
import { BROWSER } from './unpack-browser.ts';

/** The stages of a file of tests: one at a time. */
export type Stages = {
  /** The one that is set. */
  readonly now: Stage;
  /** Sets one for the rest of this test, in place of the one before. */
  set: typeof setStage;
};

/** Tests in a browser, which is closed after them. They are skipped where no browser runs. */
export function describeInBrowser(name: string, body: () => void): void {
  describe(name, needs(BROWSER), () => {
    afterAll(closeBrowser);
    body();
  });
}

/**
 * Tests of the page that set a stage each: it is taken down after them. A test fails where a page complained; of one
 * that failed pictures are kept.
 */
export function describePage(name: string, body: (stages: Stages) => void): void {
  describeInBrowser(name, () => {
    let stage: Stage | undefined;
    let complaints: string[] = [];

    async function takeDown(): Promise<void> {
      const old = stage;
      stage = undefined;
      if (!old) return;
      await old[Symbol.asyncDispose]();
      complaints.push(...old.complaints);
    }

    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await stage?.photograph(task.name);
      await takeDown();
      const said = complaints;
      complaints = [];
      expect(said).toEqual([]);
    });

    body({
      get now() {
        if (!stage) throw new Error('no stage is set');
        return stage;
      },
      async set(...given) {
        await takeDown();
        stage = await setStage(...given);
        return stage;
      },
    });
  });
}
