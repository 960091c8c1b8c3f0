import { reply, startModelServer } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { manyTools, TASKS } from '../built-in/test-fixtures/many-tools.ts';
import { TOOL_SEARCH } from '../built-in/search-tools.ts';
import { tool, type FunctionTool } from '../functions/tool.ts';
import { agentOn } from './test-fixtures/test-agent.ts';

type Sent = {
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string; description?: string } }[];
};

const splitWords = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .match(/[a-z]{3,}/g)
      ?.map(stem),
  );
const stem = (word: string): string => word.replace(/(ing|ed|es|s)$/, '');

/** The tools that the search of a conversation has found; function tools count as built in, so some are always sent. */
function foundIn(messages: Sent['messages']): string[] {
  const result = messages.find(({ role }) => role === 'tool');
  return [...JSON.stringify(result?.content ?? '').matchAll(/- (\w+):/g)].map(([, name = '']) => name);
}

/**
 * A model that searches once, with the task itself, and calls the found tool that has the most words of the task: less
 * than any real model does.
 */
function simpleModel({ messages, tools = [] }: Sent, task: string) {
  if (messages.filter(({ role }) => role === 'tool').length > 1) return reply.text('Done.');
  if (messages.every(({ role }) => role !== 'tool')) {
    return reply.toolCalls([{ name: 'search_tools', arguments: { query: task } }]);
  }
  const wanted = splitWords(task);
  const scores = tools
    .filter(({ function: { name } }) => foundIn(messages).includes(name))
    .map(({ function: { name, description = '' } }) => {
      const own = splitWords(`${name.replaceAll('_', ' ')} ${description}`);
      return { name, score: [...wanted].filter((word) => own.has(word)).length };
    });
  const [best] = scores.toSorted((one, other) => other.score - one.score);
  return best === undefined ? reply.text('Done.') : reply.toolCalls([{ name: best.name, arguments: {} }]);
}

test('a simple scripted model finds and calls the right tool of 500 in runs', async () => {
  const called: string[] = [];
  const groups = new Map<string, { id: string; title: string; tools: FunctionTool[] }>();
  for (const { tool: reference, name, description = '' } of manyTools(500)) {
    const group = groups.get(reference.serverId) ?? { id: reference.serverId, title: reference.serverId, tools: [] };
    groups.set(reference.serverId, group);
    const execute = async (): Promise<string> => {
      called.push(`${reference.serverId}/${reference.name}`);
      return 'ok';
    };
    group.tools.push(tool({ name, description, inputSchema: { type: 'object', properties: {} }, execute }));
  }
  let task = '';
  let mostTools = 0;
  await using model = await startModelServer(({ body }) => {
    const sent = body as Sent;
    mostTools = Math.max(mostTools, sent.tools?.length ?? 0);
    return simpleModel(sent, task);
  });
  let foundRight = 0;
  let calledRight = 0;
  for (const [text, wanted] of TASKS) {
    task = text;
    called.length = 0;
    await using agent = await agentOn(model, {
      builtIn: [TOOL_SEARCH, ...groups.values()],
      approve: () => Promise.resolve({ decision: 'approve', scope: 'once' }),
    });
    await agent.run(text).result;
    const last = model.requests.at(-1)?.body as Sent;
    if (foundIn(last.messages).includes(wanted.split('/')[1] ?? '')) foundRight++;
    if (called[0] === wanted) calledRight++;
  }
  process.stdout.write(
    `search_tools in runs, 500 tools, ${TASKS.length} tasks: the right tool was found for ${foundRight}, called by a word-counting model for ${calledRight}; at most ${mostTools} definitions in a request\n`,
  );
  expect(foundRight / TASKS.length).toBeGreaterThanOrEqual(0.9);
  expect(calledRight / TASKS.length).toBeGreaterThanOrEqual(0.6);
  expect(mostTools).toBeLessThan(50);
});
