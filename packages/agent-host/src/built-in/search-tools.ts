import { formatToolReference, say } from '@toolyard/protocol';
import type { FunctionToolGroup } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';
import { findTools } from './tool-index-search.ts';

export const SEARCH_TOOLS = { serverId: 'tool-search', name: 'search_tools' } as const;

const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 20;
const MAX_SUMMARY_LENGTH = 200;

const searchTools = tool({
  name: SEARCH_TOOLS.name,
  title: say`Search tools`.text,
  description:
    say`Finds tools that are not listed here. Describe the task in a few English words, or name tools exactly. The tools found are listed from your next turn on, and can then be called.`
      .text,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 500, description: 'What the tool should do, in a few words.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'At most this many tools; default 5.' },
    },
    required: ['query'],
  },
  annotations: { readOnly: true, openWorld: false },
  isolated: true,
  async execute({ query, limit = DEFAULT_LIMIT }, { tools = [] }) {
    const others = tools.filter((each) => each.tool.serverId !== SEARCH_TOOLS.serverId);
    const named = others.filter(({ name }) => query.split(/[\s,]+/).includes(name));
    // All tools, because the index is cached by list; at most one of the results is this tool.
    const matching = findTools(tools, query, limit + 1).filter(
      (each) => others.includes(each) && !named.includes(each),
    );
    const found = [...named, ...matching].slice(0, limit);
    return {
      content: [{ type: 'text', text: found.length === 0 ? nothingFor(query) : formatList(found) }],
      // Read by `createOfferedTools` from the stored conversation.
      structured: { tools: found.map((each) => formatToolReference(each.tool)) },
      isError: false,
      outcome: 'done',
    };
  },
});

/**
 * The tool with which a model finds others, if their definitions would take too much of its context window.
 *
 * @example
 * await using agent = await createAgent({ model, servers, builtIn: [TOOL_SEARCH] });
 */
export const TOOL_SEARCH: FunctionToolGroup = {
  id: SEARCH_TOOLS.serverId,
  title: say`Tool search`.text,
  tools: [searchTools],
};

function formatList(found: readonly { name: string; description?: string }[]): string {
  const lines = found.map(({ name, description = '' }) => {
    const [first = ''] = description.split('\n');
    return `- ${name}: ${first.slice(0, MAX_SUMMARY_LENGTH)}`;
  });
  return `You can call these tools now:\n${lines.join('\n')}`;
}

function nothingFor(query: string): string {
  return `No tool matches "${query}". Try other words for what it should do.`;
}
