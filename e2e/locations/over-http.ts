import { expect } from 'vitest';
import type { AgentConfiguration, ConversationView, ProviderView, RunEvent, RunRecord } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { call, readRun } from '../support/api.ts';
import type { ScenarioModel } from './scenario-model.ts';
import type { RunControls, LocationScenario, ScenarioResult } from './scenario.ts';
import { answerTo, CONTINUE, toTranscript } from './scenario.ts';

/** Sends messages in a conversation, by the API or the page. */
export type ConversationClient = {
  say: (text: string) => Promise<void>;
  continue: () => Promise<void>;
  steer: (text: string) => Promise<void>;
};

/** Runs a scenario in a conversation of a server, with runs on the server or in a tab. */
export async function overHttp(
  scenario: LocationScenario,
  of: {
    script: ScenarioModel;
    url: string;
    model: string;
    /** ID of the tool server. */
    tools: string;
    place: RunRecord['place'];
    open: (conversationId: string) => Promise<ConversationClient>;
  },
): Promise<ScenarioResult> {
  const { url } = of;
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  const configuration: AgentConfiguration = {
    ...scenario.configuration?.(of.tools),
    model: { providerId, modelId: of.model },
    // Only the tool server, like in a process.
    servers: { date: false, compute: false, 'tool-search': false, artifacts: false, person: scenario.hasUser === true },
  };
  const { id } = await call<ConversationView>(url, 'POST', '/api/conversations', { configuration });
  const client = await of.open(id);
  const runs: string[] = [];
  const controls: RunControls = {
    steer: client.steer,
    stop: async () => void (await call(url, 'POST', `/api/runs/${runs.at(-1) ?? ''}/cancel`, {})),
  };
  of.script.begin(of.model, scenario, controls);

  const events: RunEvent[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let isStopped = false;
  // Sequential, like a user.
  let pending: Promise<void> = Promise.resolve();
  function handle(event: RunEvent): void {
    const act = async (): Promise<void> => {
      await scenario.onEvent?.(event, controls);
      if (event.type !== 'interrupt_requested' || isStopped) return;
      const answer = answerTo(scenario, event.interrupt);
      if (answer === null) return;
      isStopped = answer.decision === 'refuse' && answer.stops === true;
      await call(url, 'POST', `/api/interrupts/${event.interrupt.id}/answer`, { answer });
    };
    pending = pending.then(act).catch(failure.reject);
  }

  for (const message of scenario.messages ?? ['Go']) {
    await (message === CONTINUE ? client.continue() : client.say(message));
    const run = await eventually(
      async () => {
        const path = `/api/runs?conversation=${encodeURIComponent(id)}`;
        const found = (await call<{ items: RunRecord[] }>(url, 'GET', path)).items;
        const started = found.find((one) => !runs.includes(one.id));
        if (!started) throw new Error('no run has started');
        return started;
      },
      { what: 'the start of the run' },
    );
    expect(run.place).toBe(of.place);
    runs.push(run.id);
    const seen: RunEvent[] = [];
    await Promise.race([failure.promise, readToEnd(url, run.id, seen, handle)]);
    await Promise.race([failure.promise, pending]);
    events.push(...seen);
  }
  const { page } = await call<ConversationView>(url, 'GET', `/api/conversations/${id}`);
  return toTranscript(page.messages, events);
}

async function readToEnd(...read: Parameters<typeof readRun>): Promise<void> {
  while ((await readRun(...read)) === 'cut');
}

/** A client of the API. */
export function byApi(url: string, conversationId: string): ConversationClient {
  const path = `/api/conversations/${conversationId}`;
  const send = async (text: string, more: object = {}): Promise<void> => {
    await call(url, 'POST', `${path}/messages`, { parts: [{ type: 'text', text }], ...more });
  };
  return {
    say: (text) => send(text),
    steer: (text) => send(text, { whenBusy: 'steer' }),
    continue: async () => void (await call(url, 'POST', `${path}/continue`, {})),
  };
}
