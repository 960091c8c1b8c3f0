import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { TaskRegistry } from '@toolyard/testing';
import type { ServedTool } from '@toolyard/testing/task-server';
import { serveTools } from '@toolyard/testing/task-server';
import type { Era } from '../../types.ts';
import { listen } from './peers.ts';

export type TaskPeer = {
  url: string;
  /** The methods received, in order; legacy servers over HTTP see all but `initialize` in a session. */
  asked: string[];
  /** Simulates a restart: sessions are lost, tasks are not. */
  forgetSessions(): void;
  /** Answers only this status until called again. */
  refuseWith(status: number | undefined): void;
  /** Delays answers until the promise settles. */
  answerAfter(moment: Promise<unknown>): void;
  stop(): Promise<void>;
};

/** A server over Streamable HTTP in one era, whose tools are tasks. The registry outlives its sessions. */
export async function startTaskPeer(era: Era, desk: TaskRegistry, tools: readonly ServedTool[]): Promise<TaskPeer> {
  const asked: string[] = [];
  let refusal: number | undefined;
  let moment: Promise<unknown> = Promise.resolve();
  const make = (): McpServer => {
    const mcp = new McpServer({ name: 'tasks', version: '1.0.0' });
    serveTools(mcp, era, desk, tools);
    return mcp;
  };
  const modern = toNodeHandler(createMcpHandler(make, { legacy: 'reject' }));
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const { url, close } = await listen((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      const body = text === '' ? undefined : (JSON.parse(text) as { method?: string });
      if (body?.method !== undefined) asked.push(body.method);
      await moment;
      if (refusal !== undefined) return response.writeHead(refusal).end();
      if (era === 'modern') return modern(request as Parameters<typeof modern>[0], response, body);
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (known === undefined && body?.method !== 'initialize') {
        return response.writeHead(id === undefined ? 400 : 404).end();
      }
      const transport = known ?? (await begin());
      await transport.handleRequest(request, response, body);
    })();
  });
  const begin = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await make().connect(transport);
    return transport;
  };
  return {
    url,
    asked,
    forgetSessions: () => sessions.clear(),
    refuseWith: (status) => {
      refusal = status;
    },
    answerAfter: (given) => {
      moment = given;
    },
    stop: close,
  };
}
