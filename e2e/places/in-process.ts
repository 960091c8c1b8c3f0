import { createAgent } from '@toolyard/agent-host/node';
import type { Interrupt, RunEvent } from '@toolyard/protocol';
import type { ScenarioModel } from './scenario-model.ts';
import type { RunControls, PlaceScenario, ScenarioResult } from './scenario.ts';
import { answerTo, GO_ON, transcriptOf } from './scenario.ts';

/** Tells a story in this process. */
export async function inProcess(
  story: PlaceScenario,
  of: { script: ScenarioModel; model: { id: string; baseUrl: string }; mcp: string },
): Promise<ScenarioResult> {
  // Each kind of question has its answers, and a story gives what is asked for.
  const answer = async <T>(interrupt: Interrupt): Promise<T> =>
    (answerTo(story, interrupt) as T | null) ?? new Promise<never>(() => undefined);
  const { interventionRules: rules, ...configuration } = story.configuration?.('notes') ?? {};
  const isAnybodyThere = configuration.intervention !== 'headless';
  await using agent = await createAgent({
    model: { baseUrl: of.model.baseUrl, id: of.model.id },
    ...(story.window === undefined ? {} : { contextWindow: story.window }),
    servers: [{ id: 'notes', transport: { type: 'http', url: of.mcp } }],
    ...(isAnybodyThere ? { approve: answer, askBudget: answer } : {}),
    ...(story.hasPerson ? { askUser: answer } : {}),
    ...configuration,
    ...(rules ? { rules } : {}),
  });
  const events: RunEvent[] = [];
  let run: ReturnType<typeof agent.run> | undefined;
  const hands: RunControls = {
    steer: async (text) => void run?.steer(text),
    stop: async () => run?.cancel(),
  };
  of.script.begin(of.model.id, story, hands);
  for (const said of story.says ?? ['Go']) {
    run = said === GO_ON ? agent.continue() : agent.run(said);
    for await (const event of run) {
      events.push(event);
      await story.sees?.(event, hands);
    }
    await run.result.catch(() => undefined);
  }
  return transcriptOf(agent.messages, events);
}
