import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type {
  ConversationView,
  Message,
  Page,
  ProviderView,
  RunEvent,
  SentMessage,
  StoredInterrupt,
} from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { COUNT_FILE_VARIABLE, reply, scriptedMcpCommand, SOURCE_CONDITION, startModelServer } from '@toolyard/testing';
import { call, readRun } from './support/api.ts';

const DYING = fileURLToPath(new URL('./support/dying-server.ts', import.meta.url));

/** One life of the server on the same folder; without a place nothing kills it. */
type Life = { url: string; child: ChildProcess; over: Promise<unknown> };

/** A conversation in which the model calls a tool that counts, and then says so. */
class Scene implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'toolyard-killed-'));
  readonly countFile = join(this.folder, 'count');
  readonly events: RunEvent[] = [];
  readonly asked = new Set<string>();
  readonly #model: ModelServer;
  #life: Life | undefined;

  constructor(model: ModelServer) {
    this.#model = model;
  }

  static async set(): Promise<Scene> {
    const model = await startModelServer(({ body }) => {
      const { messages } = body as { messages: { role: string }[] };
      return messages.at(-1)?.role === 'tool'
        ? reply.text('I have counted, as you asked me to do.', { pieces: 5, delayMs: 4 })
        : reply.toolCalls([{ name: 'count', arguments: {} }], { text: 'Let me count.' });
    });
    return new Scene(model);
  }

  get counted(): number {
    return existsSync(this.countFile) ? statSync(this.countFile).size : 0;
  }

  async start(place = '', hit = 1): Promise<Life> {
    const server = {
      id: 'counter',
      transport: { type: 'stdio', ...scriptedMcpCommand('counting'), env: { [COUNT_FILE_VARIABLE]: this.countFile } },
    };
    const args = [SOURCE_CONDITION, '--disable-warning=ExperimentalWarning', DYING, join(this.folder, 'data'), '0'];
    const child = spawn(process.execPath, [...args, JSON.stringify([server]), place, String(hit)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        OPENAI_BASE_URL: `${this.#model.url}/v1`,
        OPENAI_API_KEY: 'k',
      },
    });
    const over = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    this.#life = { url: line.toString().trim(), child, over };
    return this.#life;
  }

  /** Goes along with the run until it is over or the server dies, approving what is asked and repeating what is in doubt. */
  async follow(runId: string, url: string, doubt: 'repeat' | 'failed'): Promise<'over' | 'cut'> {
    const reading = readRun(url, runId, this.events);
    let done = false;
    void reading.then(() => (done = true));
    while (!done) {
      const open = await call<Page<StoredInterrupt>>(url, 'GET', '/api/interrupts?status=open').catch(() => null);
      for (const { id, interrupt } of open?.items ?? []) {
        this.asked.add(interrupt.kind);
        const answer = interrupt.kind === 'approval' ? { decision: 'approve', scope: 'once' } : { decision: doubt };
        await call(url, 'POST', `/api/interrupts/${encodeURIComponent(id)}/answer`, { answer }).catch(() => null);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life?.child.kill('SIGKILL');
    await this.#life?.over;
    await this.#model.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The same story told twice looks the same, whatever ids and times there were. */
function transcript(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    switch (message.role) {
      case 'tool':
        return `tool: ${JSON.stringify(message.parts[0].result.content)} ${message.parts[0].result.outcome}`;
      case 'assistant': {
        const calls = message.parts.filter((part) => part.type === 'tool_call').map((part) => part.name);
        return `assistant: ${textOf(message)} [${calls.join()}] ${message.finishReason}`;
      }
      default:
        return `${message.role}: ${textOf(message)}`;
    }
  });
}

const WHOLE = [
  'user: Count, please.',
  'assistant: Let me count. [count] tool_calls',
  'tool: [{"type":"text","text":"1"}] done',
  'assistant: I have counted, as you asked me to do. [] stop',
];

/** Kills the server at a place and starts it again; gives the scene once the run is over. */
async function killedAt(
  place: string,
  hit: number,
  doubt: 'repeat' | 'failed',
  scene: Scene,
): Promise<ConversationView> {
  const first = await scene.start(place, hit);
  const { items } = await call<{ items: ProviderView[] }>(first.url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  const configuration = { model: { providerId, modelId: 'scripted' } };
  await call(first.url, 'POST', '/api/conversations', { id: 'c', configuration });
  const id = '0192f0c1-2345-7abc-8def-0123456789ab';
  const message = { id, parts: [{ type: 'text', text: 'Count, please.' }] };
  let sent = await call<SentMessage>(first.url, 'POST', '/api/conversations/c/messages', message).catch(() => null);
  if (sent && 'run' in sent) await scene.follow(sent.run.id, first.url, doubt);
  await first.over;
  expect(first.child.signalCode).toBe('SIGKILL');

  const second = await scene.start();
  // Whoever got no answer sends the same message again.
  sent ??= await call<SentMessage>(second.url, 'POST', '/api/conversations/c/messages', message);
  if (!('run' in sent)) throw new Error('the message was queued');
  expect(await scene.follow(sent.run.id, second.url, doubt)).toBe('over');
  return call<ConversationView>(second.url, 'GET', '/api/conversations/c');
}

describe('a server killed in the middle of a run', () => {
  it.each([
    ['right after the run was stored', 'run:created', 1],
    ['before the first step is committed', 'run:step', 1],
    ['after it', 'run:stepped', 1],
    ['once it is parked', 'run:parked', 1],
    ['when the call is planned', 'run:planned', 1],
    ['in the middle of the answer', 'run:streaming', 4],
    ['before the last step is committed', 'run:step', 4],
    ['after the run has ended', 'run:finished', 1],
  ])('%s: tells the same story, and the tool ran once', async (_when, place, hit) => {
    await using scene = await Scene.set();
    const view = await killedAt(place, hit, 'failed', scene);
    expect(transcript(view.page.messages)).toEqual(WHOLE);
    expect(scene.counted).toBe(1);
    expect(scene.asked).toEqual(new Set(['approval']));
    expect(scene.events.map(({ seq }) => seq)).toEqual(scene.events.map((_event, index) => index + 1));
  });

  it.each([
    ['sent', 'run:sent'],
    ['answered, before that is stored', 'run:returned'],
  ])('after the call was %s: asks, and repeats it only on a person’s word', async (_when, place) => {
    await using repeated = await Scene.set();
    await killedAt(place, 1, 'repeat', repeated);
    expect(repeated.asked).toContain('in_doubt');

    await using left = await Scene.set();
    const view = await killedAt(place, 1, 'failed', left);
    expect(left.asked).toContain('in_doubt');
    expect(left.counted).toBe(repeated.counted - 1);
    expect(transcript(view.page.messages)[2]).toContain('not_sent');
  });
});
