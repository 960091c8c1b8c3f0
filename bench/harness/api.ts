import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import type { AgentConfiguration, InterruptAnswer, RunEvent, SubAgentTask } from '../../packages/protocol/src/index.ts';

/** One connection per reader, like browsers. */
const connections = new Agent({ keepAlive: true, maxSockets: Infinity });

/** A client of the HTTP API over node:http, because fetch uses too much CPU time. */
export type Api = {
  createConversation(configuration: AgentConfiguration): Promise<string>;
  /** Sends a message. Returns the ID of the run. `delegate`: tasks for sub-agents. */
  send(conversationId: string, text: string, more?: { delegate: readonly SubAgentTask[] }): Promise<string>;
  answer(interruptId: string, answer: InterruptAnswer): Promise<void>;
  /**
   * Reads all events of a run. `onEvents` gets the events of one socket read, with its time by process.hrtime, a clock
   * shared by all processes.
   */
  read(runId: string, onEvents: OnEvents): Promise<void>;
  /** Reads all events, like an open page, until `end` is called. Resolves with the first event. */
  follow(onEvents: OnEvents): Promise<{ end(): void }>;
};

type OnEvents = (events: readonly RunEvent[], at: bigint) => void;

export function createApi(url: string): Api {
  const { hostname, port } = new URL(url);

  function open(method: string, path: string, body?: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers =
        text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const asked = request({ hostname, port, path, method, headers, agent: connections }, resolve);
      asked.setNoDelay(true);
      asked.once('error', (error: NodeJS.ErrnoException) => {
        // The server closes idle connections after a few seconds, which a busy bench may not have noticed.
        if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(open(method, path, body));
        else reject(error);
      });
      asked.end(text);
    });
  }

  async function call(method: string, path: string, body: object): Promise<unknown> {
    const response = await open(method, path, body);
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += String(piece);
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) throw new Error(`${method} ${path}: ${String(statusCode)} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  return {
    async createConversation(configuration) {
      const { id } = (await call('POST', '/api/conversations', { configuration })) as { id: string };
      return id;
    },
    async send(conversationId, text, more = undefined) {
      const path = `/api/conversations/${conversationId}/messages`;
      const sent = (await call('POST', path, { parts: [{ type: 'text', text }], ...more })) as { run: { id: string } };
      return sent.run.id;
    },
    async answer(interruptId, answer) {
      await call('POST', `/api/interrupts/${interruptId}/answer`, { answer });
    },
    async read(runId, onEvents) {
      const response = await open('GET', `/api/runs/${runId}/events`);
      if (response.statusCode !== 200) throw new Error(`the events of ${runId}: ${String(response.statusCode)}`);
      let over = false;
      await readFrames(response, (frames, at) => {
        const events = frames.map((json) => JSON.parse(json) as RunEvent);
        over ||= events.at(-1)?.type === 'run_finished';
        onEvents(events, at);
      });
      if (!over) throw new Error(`the events of ${runId} ended before the run did`);
    },
    async follow(onEvents) {
      const response = await open('GET', '/api/events');
      // Destroyed on purpose at the end.
      void readFrames(response, (frames, at) => {
        onEvents(
          frames.map((json) => (JSON.parse(json) as { event: RunEvent }).event),
          at,
        );
      }).catch(() => undefined);
      return { end: () => void response.destroy() };
    },
  };
}

/** The data of all `run` events per read. */
async function readFrames(
  response: IncomingMessage,
  onFrames: (frames: readonly string[], at: bigint) => void,
): Promise<void> {
  let rest = '';
  for await (const piece of response.setEncoding('utf8')) {
    const at = process.hrtime.bigint();
    const frames = (rest + String(piece)).split('\n\n');
    rest = frames.pop() ?? '';
    const data = frames
      .filter((frame) => frame.includes('event: run\n'))
      .map((frame) => frame.slice(frame.indexOf('data: ') + 'data: '.length));
    if (data.length > 0) onFrames(data, at);
  }
}
