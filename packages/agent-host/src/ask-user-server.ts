import type { CreateTransport, ServeInMemory, ServerConfig } from '@toolyard/mcp-host';
import { createInMemoryTransport } from '@toolyard/mcp-host';
import type { JsonObject, ToolReference } from '@toolyard/protocol';
import { isJsonObject, VERSION } from '@toolyard/protocol';

/** The name by which transports know it; see {@link askUserInMemory}. */
const NAME = 'ask-user';

/** The tool with which a model asks the person something. The loop answers it; no call of it gets here from a run. */
export const ASK_USER: ToolReference = { serverId: 'person', name: 'ask_user' };

/** The server that offers it, built in. */
export const ASK_USER_SERVER: ServerConfig = {
  id: ASK_USER.serverId,
  transport: { type: 'in-memory', name: NAME },
  builtIn: true,
};

/** For whoever makes transports: the servers of this room that live in the process. */
export const askUserInMemory: Readonly<Record<string, ServeInMemory>> = { [NAME]: serve };

/** Transports that know it, too. */
export function withAskUser(createTransport: CreateTransport): CreateTransport {
  return (config, context) =>
    config.type === 'in-memory' && config.name === NAME
      ? createInMemoryTransport(config, context, askUserInMemory)
      : createTransport(config, context);
}

const TOOL: JsonObject = {
  name: ASK_USER.name,
  title: 'Ask the person',
  description:
    'Asks the person you work for something only they can know or decide, and waits for their answer. Use it when you cannot go on well without it, not for what you can find out or reasonably assume. Give choices where there are some.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, description: 'What you want to know, in the language of the person.' },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'What there is to choose from, at least two; leave it out to get an answer in words.',
      },
      multiple: { type: 'boolean', description: 'True where several may be chosen.' },
    },
    required: ['question'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

type Peer = Parameters<ServeInMemory>[0];
type Incoming = Parameters<NonNullable<Peer['onmessage']>>[0];

async function serve(transport: Peer): Promise<void> {
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) void transport.send(answerTo(message));
  };
  await transport.start();
}

function answerTo(message: Extract<Incoming, { method: string; id: string | number }>): Incoming {
  const { id, method, params } = message;
  const result = resultOf(method, isJsonObject(params) ? params : {});
  if (result) return { jsonrpc: '2.0', id, result };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: `There is no method ${method}.` } };
}

function resultOf(method: string, params: JsonObject): JsonObject | null {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'toolyard-person', version: VERSION },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'Nobody can be asked from here.' }], isError: true };
    default:
      return null;
  }
}
