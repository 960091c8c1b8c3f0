import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { RunControls, LocationScenario } from './scenario.ts';

/** One model server for concurrent scenarios: each has its own model name in each location. */
export class ScenarioModel {
  readonly #scenarios = new Map<string, { scenario: LocationScenario; controls: RunControls; next: number }>();

  /** Starts a scenario from its beginning, replacing an earlier one with this model name. */
  begin(model: string, scenario: LocationScenario, controls: RunControls): void {
    this.#scenarios.set(model, { scenario, controls, next: 0 });
  }

  readonly answer: ModelScript = ({ body }) => {
    const model = isJsonObject(body) ? body['model'] : undefined;
    const current = typeof model === 'string' ? this.#scenarios.get(model) : undefined;
    const next = current?.scenario.replies[current.next++];
    if (!current || !next) return reply.error(400, 'The scenario has no more replies.');
    return next(current.controls);
  };
}
