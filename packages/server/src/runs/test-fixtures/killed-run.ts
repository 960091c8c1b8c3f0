import { createFailpoints, eventually } from '@toolyard/testing';
import type { RunBench, FakeTool } from './setup.ts';
import { ANNE, answers, openBench, temporaryFolder } from './setup.ts';
import type { ScriptedAnswer } from './scripted-model.ts';
import { scriptedModel } from './scripted-model.ts';

/** A data folder left by a process that crashed at a failpoint of a run, which may call the tool `act`. */
export async function killAt(
  place: string,
  script: ScriptedAnswer[],
  more: { hit?: number; tool?: () => void; builtIn?: boolean } = {},
): Promise<{ folder: string; runId: string; conversation: string }> {
  const folder = temporaryFolder();
  const failpoints = createFailpoints();
  const tools = { act: actTool(more.tool, more.builtIn) };
  const bench = await openBench(folder, { model: scriptedModel(script), tools, failpoint: failpoints });
  const conversation = await bench.conversation();
  let died = false;
  const die = (): void => {
    died = true;
    bench.die();
    throw new Error('the process died');
  };
  failpoints.at(place, die, more.hit === undefined ? {} : { hit: more.hit });
  await bench.say(conversation, 'Do it', { id: 'run' }).catch(() => {});
  await eventually(() => died, { what: `reaching ${place}` });
  await bench.runs.close();
  return { folder, runId: 'run', conversation };
}

/** The tool `act` and its effect. */
export function actTool(act: (() => void) | undefined, builtIn = false): FakeTool {
  return {
    builtIn,
    call: () => {
      act?.();
      return answers('acted');
    },
  };
}

/** Allows `act` without approval. */
export async function allowAct(bench: RunBench): Promise<void> {
  await bench.storage.permissions.set(ANNE, {
    tool: { serverId: 'desk', name: 'act' },
    conversationId: null,
    decision: 'allow',
    at: 1,
  });
}
