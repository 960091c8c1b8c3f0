import type { IndexedTool } from '@toolyard/mcp-host';
import type { ErrorInfo, ToolReference, ToolResult } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import type { RunCallOptions } from './functions/function-tools.ts';
import type { ToolSource } from './run-tool-set.ts';
import { RunToolSet } from './run-tool-set.ts';

const CALL = { callId: 'c1' } as RunCallOptions;
const at = (serverId: string, name: string): ToolReference => ({ serverId, name });

/** A source whose results name it. */
function source(id: string, listed: ToolReference[], more: Partial<ToolSource> = {}): ToolSource {
  const tools = listed.map((tool): IndexedTool => ({
    tool,
    name: tool.name,
    inputSchema: { type: 'object' },
    builtIn: false,
    checkArguments: () => null,
  }));
  const answer = (): Promise<ToolResult> =>
    Promise.resolve({ content: [{ type: 'text', text: id }], isError: false, outcome: 'done' });
  const context = { serverInstructions: [{ serverId: id, text: `Use ${id}.` }] };
  return {
    tools: () => tools,
    callTool: answer,
    resumeTask: answer,
    contextSources: () => context,
    policyFacts: (tool) =>
      listed.some(({ name }) => name === tool.name)
        ? { builtIn: false, readOnly: id === 'rest', trusted: false }
        : undefined,
    refresh: () => undefined,
    ...more,
  };
}

const ofTab = (tools: ToolReference[], more: Partial<ToolSource> = {}): ToolSource =>
  source('tab', tools, { has: ({ serverId }) => serverId === 'notes', taskEra: 'tab', ...more });

function createToolSet(
  sources: ToolSource[],
  more: Partial<ConstructorParameters<typeof RunToolSet>[0]> = {},
): RunToolSet {
  return new RunToolSet({ sources, isOffered: () => true, ...more });
}

const namesIn = (set: RunToolSet): string[] => set.tools().map(({ name }) => name);

describe('the tools of a run', () => {
  test('keep the names of the first source, and have each server once', () => {
    const set = createToolSet([source('rest', [at('a', 'read')]), ofTab([at('notes', 'read'), at('a', 'write')])]);
    expect(namesIn(set)).toEqual(['read', 'notes__read']);
    expect(set.resolve('notes__read')?.tool).toMatchObject(at('notes', 'read'));
    expect(set.resolve('write')).toBeUndefined();
  });

  test('are the same list until the list of a source changes', () => {
    const first = source('rest', [at('a', 'read')]);
    let current = first;
    const set = createToolSet([{ ...first, tools: () => current.tools() }, ofTab([at('notes', 'note')])]);
    const before = set.tools();
    expect(set.tools()).toBe(before);
    current = source('rest', [at('a', 'write')]);
    expect(namesIn(set)).toEqual(['write', 'note']);
  });

  test('are called in the source that has them, all others in the one for the rest', async () => {
    const set = createToolSet([source('rest', []), ofTab([])]);
    expect((await set.callTool(at('notes', 'note'), {}, CALL)).content).toEqual([{ type: 'text', text: 'tab' }]);
    expect((await set.callTool(at('a', 'read'), {}, CALL)).content).toEqual([{ type: 'text', text: 'rest' }]);
  });

  test('that are refused are not listed, and stored calls of them are not made', async () => {
    const refused: ErrorInfo = { code: 'forbidden', message: 'Not with this key.' };
    const set = createToolSet([source('rest', [at('a', 'read'), at('a', 'write')])], {
      refusal: ({ name }) => (name === 'write' ? refused : undefined),
    });
    expect(namesIn(set)).toEqual(['read']);
    expect(await set.callTool(at('a', 'write'), {}, CALL)).toMatchObject({ outcome: 'not_sent', error: refused });
  });

  test('that are not offered are not listed, but stored calls of them are made', async () => {
    const set = createToolSet([source('rest', [at('a', 'read')])], { isOffered: () => false });
    expect(namesIn(set)).toEqual([]);
    expect(await set.callTool(at('a', 'read'), {}, CALL)).toMatchObject({ outcome: 'done' });
  });

  test('have their tasks resumed by the source of their era', async () => {
    const set = createToolSet([source('rest', []), ofTab([])]);
    const handle = { tool: at('notes', 'note'), taskId: 't' };
    expect((await set.resumeTask({ ...handle, era: 'tab' })).content).toEqual([{ type: 'text', text: 'tab' }]);
    expect((await set.resumeTask({ ...handle, era: 'modern' })).content).toEqual([{ type: 'text', text: 'rest' }]);
  });

  test('are judged by their source, or by the rest if it does not list them', () => {
    const set = createToolSet([source('rest', [at('a', 'read')]), ofTab([at('notes', 'note')])]);
    expect(set.policyFacts(at('notes', 'note'))).toMatchObject({ readOnly: false });
    expect(set.policyFacts(at('notes', 'read'))).toMatchObject({ readOnly: true });
    expect(set.policyFacts(at('a', 'none'))).toBeUndefined();
  });

  test('have the instructions of all sources, as one object until they change', () => {
    const set = createToolSet([source('rest', []), ofTab([])]);
    const before = set.contextSources();
    expect(before.serverInstructions.map(({ serverId }) => serverId)).toEqual(['rest', 'tab']);
    expect(set.contextSources()).toBe(before);
  });

  test('are refreshed with their own calls only', async () => {
    const seen: string[] = [];
    const refresh = (id: string) => (calls: readonly { tool: ToolReference }[]) => {
      seen.push(`${id}: ${calls.map(({ tool }) => tool.name).join()}`);
      return Promise.resolve();
    };
    const set = createToolSet([
      source('rest', [], { refresh: refresh('rest') }),
      ofTab([], { refresh: refresh('tab') }),
    ]);
    await set.refresh([at('a', 'read'), at('notes', 'note')].map((tool) => ({ tool, arguments: {} })));
    expect(seen).toEqual(['rest: read', 'tab: note']);
    expect(createToolSet([source('rest', [])]).refresh([])).toBeUndefined();
  });
});

test('a run without sources has no tools', async () => {
  const set = createToolSet([]);
  expect(set.tools()).toEqual([]);
  expect(set.policyFacts(at('a', 'read'))).toBeUndefined();
  await expect(set.callTool(at('a', 'read'), {}, CALL)).rejects.toMatchObject({ code: 'internal' });
});
