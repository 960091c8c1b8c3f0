import { createAgent } from '@toolyard/agent-host/node';
import type { Interrupt, RunEvent } from '@toolyard/protocol';
import type { ScenarioModel } from './scenario-model.ts';
import type { RunControls, LocationScenario, ScenarioResult } from './scenario.ts';
import { answerTo, CONTINUE, toTranscript } from './scenario.ts';

/** Runs a scenario in this process. */
export async function inProcess(
  scenario: LocationScenario,
  of: { script: ScenarioModel; model: { id: string; baseUrl: string }; mcp: string },
): Promise<ScenarioResult> {
  // A scenario returns the answer type of the interrupt.
  const answer = async <T>(interrupt: Interrupt): Promise<T> =>
    (answerTo(scenario, interrupt) as T | null) ?? new Promise<never>(() => undefined);
  const { interventionRules: rules, ...configuration } = scenario.configuration?.('notes') ?? {};
  const isAttended = configuration.intervention !== 'headless';
  await using agent = await createAgent({
    model: { baseUrl: of.model.baseUrl, id: of.model.id },
    ...(scenario.window === undefined ? {} : { contextWindow: scenario.window }),
    servers: [{ id: 'notes', transport: { type: 'http', url: of.mcp } }],
    ...(isAttended ? { approve: answer, askBudget: answer } : {}),
    ...(scenario.hasUser ? { askUser: answer } : {}),
    ...configuration,
    ...(rules ? { rules } : {}),
  });
  const events: RunEvent[] = [];
  let run: ReturnType<typeof agent.run> | undefined;
  const controls: RunControls = {
    steer: async (text) => void run?.steer(text),
    stop: async () => run?.cancel(),
  };
  of.script.begin(of.model.id, scenario, controls);
  for (const message of scenario.messages ?? ['Go']) {
    run = message === CONTINUE ? agent.continue() : agent.run(message);
    for await (const event of run) {
      events.push(event);
      await scenario.onEvent?.(event, controls);
    }
    await run.result.catch(() => undefined);
  }
  return toTranscript(agent.messages, events);
}
