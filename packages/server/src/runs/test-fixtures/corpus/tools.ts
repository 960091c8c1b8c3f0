import type { FunctionToolGroup } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { CallToolOptions } from '@toolyard/mcp-host';
import type { JsonObject, TaskHandle, ToolResult } from '@toolyard/protocol';
import type { FakeTool } from '../setup.ts';
import { answers } from '../setup.ts';

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const RESEARCH: TaskHandle = { tool: { serverId: 'desk', name: 'research' }, taskId: 'task-1', era: 'modern' };

/** The tools of the scenarios. Results are deterministic, so that calls may be repeated. */
export const CORPUS_TOOLS: Readonly<Record<string, FakeTool>> = {
  note: { call: (args) => answers(`noted ${JSON.stringify(args)}`) },
  research: {
    async call(_args, options) {
      await options.onTask?.(RESEARCH);
      return answers('researched');
    },
    resume: () => answers('researched'),
  },
  /** Function tools are executed in this process, so that these entries are never called. */
  ask_user: { serverId: 'person', builtIn: true, call: () => answers('must not be called') },
  survey: { serverId: 'corpus', builtIn: true, call: () => answers('must not be called') },
  /** A legacy server asks during its call. */
  book: {
    async call(_args, options) {
      const request = { mode: 'form', message: 'Which city?', requestedSchema: CITY } as never;
      const answer = await options.handlers?.form?.(request, asked(options));
      return answers(`booked ${JSON.stringify(answer)}`);
    },
  },
  /** A modern server is called again with the requested input. */
  travel: { call: (_args, options) => inRounds(options) },
  think: {
    async call(_args, options) {
      const request = {
        messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
        systemPrompt: SAMPLING_PROMPT,
      };
      const answer = await options.handlers?.sampling?.({ ...request, maxTokens: 7 } as never, asked(options));
      return answers(`thought ${JSON.stringify(answer)}`);
    },
  },
  /** The user declines the sign-in. */
  mail: {
    call: () => ({
      content: [],
      isError: true,
      outcome: 'not_sent',
      error: { code: 'needs_sign_in', message: 'Who are you?' },
    }),
  },
};

/** Asks twice. */
export const CORPUS_FUNCTIONS: FunctionToolGroup = {
  id: 'corpus',
  tools: [
    tool({
      name: 'survey',
      description: 'Asks for a country and a city.',
      inputSchema: { type: 'object' },
      async execute(_args, { ask }) {
        const country = await ask({ kind: 'prompt', question: 'Which country?' });
        const city = await ask({ kind: 'form', message: 'Which city?', schema: CITY });
        return `surveyed ${JSON.stringify([country, city])}`;
      },
    }),
  ],
};

/** System prompt of a server's sampling request. */
export const SAMPLING_PROMPT = 'Be brief.';

function asked({ signal }: CallToolOptions): { serverId: string; signal: AbortSignal } {
  return { serverId: 'desk', signal: signal ?? new AbortController().signal };
}

function inRounds({ onRound, resume }: CallToolOptions): ToolResult {
  const number = resume?.number ?? 0;
  const requests = [
    { key: 'city', question: { kind: 'form', message: 'Which city?', requestedSchema: CITY as JsonObject } as const },
    { key: 'page', question: { kind: 'url', message: 'Look here', url: 'https://example.com/' } as const },
  ];
  const request = requests[number];
  if (!request) return answers(`travelled ${JSON.stringify(resume?.responses)}`);
  onRound?.({ number: number + 1, asked: [request], answered: {}, state: `state ${number}` });
  return { content: [], isError: true, outcome: 'not_sent', error: { code: 'input_required', message: 'More.' } };
}
