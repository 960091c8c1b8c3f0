import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedMcp } from '@toolyard/testing';
import { needs, startScriptedMcp } from '@toolyard/testing';
import { throughPage, openOwnTab } from './through-page.ts';
import { inProcess } from './in-process.ts';
import { byApi, overHttp } from './over-http.ts';
import { ScenarioModel } from './scenario-model.ts';
import { NOTES, LOCATION_SCENARIOS } from './scenarios.ts';
import type { LocationScenario } from './scenario.ts';
import { call } from '../support/api.ts';
import type { Stage } from '../support/stage.ts';
import { setStage } from '../support/stage.ts';
import { BROWSER } from '../support/unpack-browser.ts';

const LOCATIONS = ['process', 'server', 'tab'] as const;
const scenarios = Object.entries<LocationScenario>(LOCATION_SCENARIOS);
/** Each scenario has a separate model in each location. */
const getModel = (name: string, location: (typeof LOCATIONS)[number]): string => `${name}: ${location}`;
const MODELS = scenarios.flatMap(([name, { window }]) =>
  LOCATIONS.map((location) => ({
    id: getModel(name, location),
    ...(window === undefined ? {} : { context_length: window }),
  })),
);

type Selection = {
  /** Which scenarios run in a process and on a server; default all. */
  isIncluded?: (scenario: string) => boolean;
  /** Which of these also run in a tab, which costs as much as the two other locations. */
  inTab: (scenario: string) => boolean;
};

/** Tests that each scenario has the same result in every location. */
export function describeLocations({ isIncluded = () => true, inTab }: Selection): void {
  describe('the same scenario in a process, on a server and in a tab', needs(BROWSER), () => {
    let undo: AsyncDisposableStack;
    let script: ScenarioModel;
    let mcp: ScriptedMcp;
    let stage: Stage;
    let page: Page;

    async function begin(): Promise<void> {
      undo = new AsyncDisposableStack();
      script = new ScenarioModel();
      mcp = undo.use(await startScriptedMcp(NOTES, { cors: {} }));
      stage = undo.use(await setStage(script.answer, { models: MODELS }));
      await call(stage.server.url, 'POST', '/api/mcp/servers', {
        id: 'notes',
        transport: { type: 'http', url: mcp.url },
      });
      page = await openOwnTab(stage, mcp.url);
    }

    beforeAll(begin);
    // A failed scenario leaves runs in progress, so the next one starts with a new stage.
    afterEach(async ({ task }) => {
      if (task.result?.state !== 'fail') return;
      await undo.disposeAsync();
      await begin();
    });
    afterAll(() => undo.disposeAsync());

    test.each(scenarios.filter(([name]) => isIncluded(name)))('%s', async (name, scenario) => {
      const { url } = stage.server;
      const [here, there, tab] = await Promise.all([
        inProcess(scenario, {
          script,
          model: { id: getModel(name, 'process'), baseUrl: stage.model.url },
          mcp: mcp.url,
        }),
        overHttp(scenario, {
          script,
          url,
          model: getModel(name, 'server'),
          tools: 'notes',
          place: 'server',
          open: async (id) => byApi(url, id),
        }),
        inTab(name)
          ? overHttp(scenario, {
              script,
              url,
              model: getModel(name, 'tab'),
              tools: 'browser-notes',
              place: 'browser',
              open: (id) => throughPage(page, stage.line.url, id),
            })
          : null,
      ]);
      expect(there).toEqual(here);
      if (tab !== null) expect(tab).toEqual(here);
      expect(stage.complaints).toEqual([]);
    });
  });
}
