import { expect } from 'vitest';
import type { AgentConfiguration, ConversationView, ProviderView, RunEvent, RunRecord } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { call, readRun } from '../support/api.ts';
import type { ScenarioModel } from './scenario-model.ts';
import type { RunControls, PlaceScenario, ScenarioResult } from './scenario.ts';
import { answerTo, GO_ON, transcriptOf } from './scenario.ts';

/** How somebody speaks in a conversation: by the API, or by the page. */
export type ConversationClient = {
  say: (text: string) => Promise<void>;
  goOn: () => Promise<void>;
  steer: (text: string) => Promise<void>;
};

/** Tells a story in a conversation of a server, whichever place its runs are in. */
export async function overHttp(
  story: PlaceScenario,
  of: {
    script: ScenarioModel;
    url: string;
    model: string;
    /** What the server of the tools is called. */
    tools: string;
    place: RunRecord['place'];
    open: (conversationId: string) => Promise<ConversationClient>;
  },
): Promise<ScenarioResult> {
  const { url } = of;
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  const configuration: AgentConfiguration = {
    ...story.configuration?.(of.tools),
    model: { providerId, modelId: of.model },
    // A process has the servers it is given and no others.
    servers: { date: false, person: story.hasPerson === true },
  };
  const { id } = await call<ConversationView>(url, 'POST', '/api/conversations', { configuration });
  const speech = await of.open(id);
  const runs: string[] = [];
  const hands: RunControls = {
    steer: speech.steer,
    stop: async () => void (await call(url, 'POST', `/api/runs/${runs.at(-1) ?? ''}/cancel`, {})),
  };
  of.script.begin(of.model, story, hands);

  const events: RunEvent[] = [];
  const trouble = Promise.withResolvers<never>();
  trouble.promise.catch(() => undefined);
  let isStopped = false;
  // One thing after the other, as a person does.
  let doing: Promise<void> = Promise.resolve();
  function see(event: RunEvent): void {
    const act = async (): Promise<void> => {
      await story.sees?.(event, hands);
      if (event.type !== 'interrupt_requested' || isStopped) return;
      const answer = answerTo(story, event.interrupt);
      if (answer === null) return;
      isStopped = answer.decision === 'refuse' && answer.stops === true;
      await call(url, 'POST', `/api/interrupts/${event.interrupt.id}/answer`, { answer });
    };
    doing = doing.then(act).catch(trouble.reject);
  }

  for (const said of story.says ?? ['Go']) {
    await (said === GO_ON ? speech.goOn() : speech.say(said));
    const run = await eventually(
      async () => {
        const path = `/api/runs?conversation=${encodeURIComponent(id)}`;
        const found = (await call<{ items: RunRecord[] }>(url, 'GET', path)).items;
        const begun = found.find((one) => !runs.includes(one.id));
        if (!begun) throw new Error('no run was begun');
        return begun;
      },
      { what: 'the beginning of the run' },
    );
    expect(run.place).toBe(of.place);
    runs.push(run.id);
    const seen: RunEvent[] = [];
    await Promise.race([trouble.promise, readToItsEnd(url, run.id, seen, see)]);
    await Promise.race([trouble.promise, doing]);
    events.push(...seen);
  }
  const { page } = await call<ConversationView>(url, 'GET', `/api/conversations/${id}`);
  return transcriptOf(page.messages, events);
}

async function readToItsEnd(...read: Parameters<typeof readRun>): Promise<void> {
  while ((await readRun(...read)) === 'cut');
}

/** Who speaks to the server by its API. */
export function byApi(url: string, conversationId: string): ConversationClient {
  const path = `/api/conversations/${conversationId}`;
  const send = async (text: string, more: object = {}): Promise<void> => {
    await call(url, 'POST', `${path}/messages`, { parts: [{ type: 'text', text }], ...more });
  };
  return {
    say: (text) => send(text),
    steer: (text) => send(text, { whenBusy: 'steer' }),
    goOn: async () => void (await call(url, 'POST', `${path}/continue`, {})),
  };
}
