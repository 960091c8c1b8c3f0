import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { RunControls, PlaceScenario } from './scenario.ts';

/** One model for all that is told at once: each story has one of its own name in each place. */
export class ScenarioModel {
  readonly #told = new Map<string, { story: PlaceScenario; hands: RunControls; next: number }>();

  /** From its beginning on, whatever was told by that name before. */
  begin(model: string, story: PlaceScenario, hands: RunControls): void {
    this.#told.set(model, { story, hands, next: 0 });
  }

  readonly answer: ModelScript = ({ body }) => {
    const model = isJsonObject(body) ? body['model'] : undefined;
    const teller = typeof model === 'string' ? this.#told.get(model) : undefined;
    const next = teller?.story.replies[teller.next++];
    if (!teller || !next) return reply.error(400, 'This story has no more to tell.');
    return next(teller.hands);
  };
}
