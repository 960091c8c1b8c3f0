import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { listenOnLoopback, programArgs } from '@toolyard/testing';
import { z } from 'zod';
import type { ClientScenario } from './client.ts';
import { runClient } from './client.ts';
import { runSkillsClient } from './skills-client.ts';

const HAND_OVER = fileURLToPath(new URL('./hand-over.ts', import.meta.url));

/** Message of `hand-over.ts`; `context` is unchanged from the suite. */
const sent = z.object({ scenario: z.string(), url: z.string(), context: z.string() });

export type ClientResults = {
  /** Command that the suite starts as its client. */
  command: string;
  close(): Promise<void>;
};

/**
 * Runs the client of each scenario in this process with a separate host; a process per scenario would load the host each
 * time. The suite starts `awaited` clients at once. They run one after the other, and only when all have started, because
 * the suite responds slowly while it starts so many programs.
 */
export async function openClientResults(awaited: number): Promise<ClientResults> {
  const allThere = Promise.withResolvers<void>();
  let before: Promise<unknown> = allThere.promise;
  let arrived = 0;
  const inTurn = (body: string): Promise<Played> => {
    const played = before.then(() => play(body));
    before = played;
    if (++arrived === awaited) allThere.resolve();
    return played;
  };
  const server = createServer((request, response) => {
    void text(request)
      .then(inTurn)
      .then(({ ended, said }) => response.writeHead(ended ? 200 : 500).end(said));
  });
  const { origin, close } = await listenOnLoopback(server);
  return {
    command: [process.execPath, ...programArgs(HAND_OVER), origin].join(' '),
    close,
  };
}

/** Exit code and output of the client. */
type Played = { ended: boolean; said: string };

async function play(body: string): Promise<Played> {
  let said = '';
  const say = (line: string): void => void (said += `${line}\n`);
  try {
    const given = readGiven(body);
    await (given.scenario.startsWith('sep-2640-client-') ? runSkillsClient : runClient)(given, say);
    return { ended: true, said };
  } catch (thrown) {
    say(thrown instanceof Error ? String(thrown.stack) : String(thrown));
    return { ended: false, said };
  }
}

function readGiven(body: string): ClientScenario {
  const read = parseJson(body);
  const { scenario, url, context } = sent.parse(read.ok ? read.value : undefined);
  const known = parseJson(context);
  return { scenario, url, context: known.ok && isJsonObject(known.value) ? known.value : {} };
}
