import type { Clock, StartTabSubAgents, TabSubAgentResults } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { SubAgentResult, SubAgents } from '@toolyard/agent-host';
import type { Api } from '../../api/client.ts';
import { answered } from './until-answered.ts';

/** Child runs of a run in this tab. They execute on the server. */
export function createTabSubAgents(
  { api, clock }: { api: Pick<Api, 'post'>; clock: Pick<Clock, 'after'> },
  { params, fence }: { params: { tab: string; run: string }; fence: number },
): SubAgents {
  const read = async (runs: readonly string[]): Promise<TabSubAgentResults['items']> => {
    if (runs.length === 0) return [];
    const body = { runs: [...runs] };
    const { items } = await answered(clock, () =>
      api.post('/api/tabs/{tab}/runs/{run}/sub-agents/results', { params, body }),
    );
    return items;
  };
  return {
    async start(tasks, { state: _stored, tools, ...of }) {
      const body: StartTabSubAgents = {
        ...of,
        fence,
        tools: tools.map(({ name, tool: { serverId, name: toolName } }) => ({
          name,
          tool: { serverId, name: toolName },
        })),
        tasks: tasks.map(({ member, ...task }) => (member ? { task, member } : { task })),
      };
      const { items } = await answered(clock, () =>
        api.post('/api/tabs/{tab}/runs/{run}/sub-agents', { params, body }),
      );
      return items;
    },

    async results(children) {
      const items = await read(children.flatMap((child) => ('runId' in child ? [child.runId] : [])));
      return children.map((child): SubAgentResult => {
        const { title } = child;
        if ('error' in child) return { title, text: '', status: 'refused', error: child.error };
        const { runId, conversationId } = child;
        const { status = 'refused', text = '', error } = items.shift() ?? {};
        if (status === 'refused') return { title, text, status, error: error ?? DELETED };
        return status === 'done'
          ? { title, text, status, runId, conversationId }
          : { title, text, status, runId, conversationId, ...(error ? { error } : {}) };
      });
    },

    answers: async (runIds) => (await read(runIds)).map(({ answer }) => answer),
  };
}

const DELETED = createErrorInfo({ code: 'not_found', message: say`Its run was deleted.` });
