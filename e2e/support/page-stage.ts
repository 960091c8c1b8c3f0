import { afterEach, describe, expect } from 'vitest';
import { needs } from '@toolyard/testing';
import type { Stage } from './stage.ts';
import { setProcessStage, setStage } from './stage.ts';
import { BROWSER } from './unpack-browser.ts';

/** The stages of a file of tests: one at a time. */
export type Stages = {
  /** The one that is set. */
  readonly now: Stage;
  /** Sets one for the rest of this test, in place of the one before. */
  set: typeof setStage;
  /** The same with a server in a process of its own, which the test can kill. */
  setProcess: typeof setProcessStage;
};

/** Tests in a browser. They are skipped where no browser runs. */
export function describeInBrowser(name: string, body: () => void): void {
  describe(name, needs(BROWSER), () => {
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

    async function replaceWith<New extends Stage>(make: () => Promise<New>): Promise<New> {
      await takeDown();
      const made = await make();
      stage = made;
      return made;
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
      set: (...given) => replaceWith(() => setStage(...given)),
      setProcess: (...given) => replaceWith(() => setProcessStage(...given)),
    });
  });
}
