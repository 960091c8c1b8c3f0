import { afterEach, describe, expect } from 'vitest';
import { needs } from '@toolyard/testing';
import type { Stage } from './stage.ts';
import { setProcessStage, setStage } from './stage.ts';
import { BROWSER } from './unpack-browser.ts';

/** The stages of a test file: one at a time. */
export type Stages = {
  /** The current one. */
  readonly now: Stage;
  /** Creates a stage for the rest of this test, replacing the previous one. */
  set: typeof setStage;
  /** The same with a server in a process of its own, which the test can kill. */
  setProcess: typeof setProcessStage;
};

/** Tests in a browser. They are skipped if no browser is available. */
export function describeInBrowser(name: string, body: () => void): void {
  describe(name, needs(BROWSER), () => {
    body();
  });
}

/**
 * Tests of the page that create a stage each, disposed of after the test. A test fails if the page logged errors;
 * screenshots of failed tests are kept.
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
      if (task.result?.state === 'fail') await stage?.screenshot(task.name);
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
