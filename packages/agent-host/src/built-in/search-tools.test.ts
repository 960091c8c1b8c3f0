import { describe, expect, test } from 'vitest';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { Message, ToolDefinition } from '@toolyard/protocol';
import { tokensOfTools } from '@toolyard/agent-runtime';
import { runFunction } from '../functions/run-function.ts';
import { createOfferedTools } from './offered-tools.ts';
import { TOOL_SEARCH } from './search-tools.ts';
import { manyTools, TASKS } from './test-fixtures/many-tools.ts';

const [search] = TOOL_SEARCH.tools;

/** `tool-search/search_tools` as a host lists it. */
function listedSearch(): IndexedTool {
  if (!search) throw new Error('the group has no tool');
  const { name, inputSchema, description } = search;
  const tool = { serverId: TOOL_SEARCH.id, name, origin: 'server' } as const;
  return { tool, name, description, inputSchema, builtIn: true, checkArguments: () => null };
}

async function found(tools: readonly IndexedTool[], query: string, limit?: number): Promise<string[]> {
  if (!search) return [];
  const args = { query, ...(limit === undefined ? {} : { limit }) };
  const context = { signal: new AbortController().signal, progress: () => undefined, ask: () => Promise.reject(ASKED) };
  const { structured } = await runFunction(search, args, { ...context, tools });
  return (structured as { tools: string[] }).tools;
}

const ASKED = new Error('not asked');

function searched(tools: readonly string[], id: string): Message {
  return {
    id,
    parentId: null,
    createdAt: 0,
    role: 'tool',
    name: 'search_tools',
    tool: { serverId: TOOL_SEARCH.id, name: 'search_tools' },
    parts: [
      {
        type: 'tool_result',
        callId: id,
        result: { content: [], structured: { tools: [...tools] }, isError: false, outcome: 'done' },
      },
    ],
  };
}

describe('search_tools', () => {
  const tools = [listedSearch(), ...manyTools(500)];

  test('finds the tool for a task among 500', async () => {
    const results = await Promise.all(TASKS.map(async ([task, wanted]) => (await found(tools, task)).includes(wanted)));
    const right = results.filter(Boolean).length;
    process.stdout.write(
      `search_tools: the right tool of 500 is in the first five for ${right} of ${TASKS.length} tasks\n`,
    );
    expect(right / TASKS.length).toBeGreaterThanOrEqual(0.9);
  });

  test('finds tools by their exact names, and in Chinese', async () => {
    expect(await found(tools, 'calendar_create_event', 1)).toEqual(['calendar/calendar_create_event']);
    const chinese = manyTools(3).map((each, at) => ({
      ...each,
      description: ['刪除檔案', '傳送郵件', '查詢天氣'][at] ?? '',
    }));
    expect(await found(chinese, '查天氣', 1)).toEqual([`${chinese[2]?.tool.serverId}/${chinese[2]?.tool.name}`]);
    expect(await found(tools, 'zzzzz')).toEqual([]);
  });

  test('takes over above a share of the context window', () => {
    const messages: Message[] = [];
    const offered = createOfferedTools({ tools: () => tools, messages: () => messages, window: 128_000, percent: 10 });
    const full = tokensOfTools(tools);
    const first = tokensOfTools(offered());
    process.stdout.write(`definitions of 500 tools: ${full} tokens; in the first request: ${first} tokens\n`);
    expect(offered().map(({ name }) => name)).toEqual(['search_tools']);
    expect(offered()[0]?.description).toMatch(/calendar \(\d+\)/);
    expect(full).toBeGreaterThan(12_800);
    expect(first).toBeLessThan(3_000);
    const all = createOfferedTools({ tools: () => tools, messages: () => messages, window: 1_000_000, percent: 10 });
    expect(all()).toHaveLength(500);
    expect(all().some(({ name }) => name === 'search_tools')).toBe(false);
  });

  test('offers what was found in the order of its discovery, for the cache of the provider', () => {
    const messages: Message[] = [searched(['calendar/calendar_create_event'], 'a')];
    const offered = createOfferedTools({ tools: () => tools, messages: () => messages, window: 128_000, percent: 10 });
    const names = (): string[] => offered().map(({ name }) => name);
    expect(names()).toEqual(['search_tools', 'calendar_create_event']);
    const before = offered();
    messages.push(searched([], 'b'));
    expect(offered()).toBe(before);
    messages.push(searched(['files/files_list_file', 'calendar/calendar_create_event', 'nowhere/gone'], 'c'));
    expect(names()).toEqual(['search_tools', 'calendar_create_event', 'files_list_file']);
  });

  test('is not needed if it is disabled: then all tools are offered', () => {
    const [, ...others] = tools;
    const offered = createOfferedTools({ tools: () => others, messages: () => [], window: 8_000, percent: 10 });
    expect(offered()).toBe(others);
  });

  /** Tools of built-in servers, of about 100 tokens each. */
  const builtIn = manyTools(12).map((each) => ({ ...each, builtIn: true }));
  const serverTools = manyTools(60).slice(12);

  test.each([512, 2_048, 4_095, 4_096, 8_192, 16_384, 128_000])(
    'built-in tools, the search included, take at most a tenth of a window of %d tokens',
    (window) => {
      const isBuiltIn = ({ builtIn: is }: ToolDefinition): boolean => is;
      for (const listed of [builtIn, [...serverTools, ...builtIn], [listedSearch(), ...builtIn]]) {
        const offered = createOfferedTools({ tools: () => listed, messages: () => [], window, percent: undefined })();
        expect(tokensOfTools(offered.filter(isBuiltIn))).toBeLessThanOrEqual(window < 4_096 ? 0 : window / 10);
      }
      const all = [listedSearch(), ...builtIn, ...serverTools];
      const offered = createOfferedTools({ tools: () => all, messages: () => [], window, percent: undefined })();
      const names = offered.filter(isBuiltIn).map(({ name }) => name);
      // The search is what reaches the tools of the user's servers.
      if (window < 4_096) expect(names).toEqual(['search_tools']);
      else expect(tokensOfTools(offered.filter(isBuiltIn))).toBeLessThanOrEqual(window / 10);
    },
  );

  test('the functions of a program and the tools of a group are offered in every window', () => {
    const own = manyTools(2).map((each, at) => {
      const tool = { ...each.tool, serverId: at === 0 ? 'functions' : 'group' };
      return { ...each, tool, builtIn: true };
    });
    const listed = [listedSearch(), ...own, ...builtIn];
    const offered = createOfferedTools({ tools: () => listed, messages: () => [], window: 2_048, percent: undefined });
    expect(offered()).toEqual(own);
    expect(offered()).toBe(offered());
  });
});
