import type { McpServerView, ToolAnnotations } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { testTool } from '../../servers/test-fixtures/test-servers.ts';
import { toolLabel } from './tool-label.ts';

type Server = Pick<McpServerView, 'id' | 'builtIn' | 'transport' | 'serverInfo' | 'tools'>;

function server(id: string, tools: { name: string; title?: string; annotations?: ToolAnnotations }[]): Server {
  const views = tools.map(({ name, title, annotations }) =>
    testTool(id, name, {
      ...defined({ title, annotations }),
      readOnly: annotations?.readOnly === true,
    }),
  );
  return {
    id,
    builtIn: false,
    transport: null,
    serverInfo: { name: id, version: '1', title: `Server ${id}` },
    tools: views,
  };
}

const call = (name: string, serverId: string | null) => ({
  name,
  tool: serverId === null ? null : { serverId, name },
  arguments: {},
});

describe('tool label', () => {
  const servers = [
    server('a', [{ name: 'add', title: 'Add numbers' }, { name: 'echo' }]),
    server('b', [{ name: 'echo' }]),
  ];

  test.each([
    ['shows the title of the tool and the name the user gave the server', call('add', 'a'), 'Add numbers', 'a'],
    ['shows the name of a tool without a title', call('echo', 'b'), 'echo', 'b'],
    ['shows the reference if the server is gone', call('add', 'gone'), 'add', 'gone'],
    ['shows the name the model used for an unknown tool', call('invented', null), 'invented', null],
  ])('%s', (_name, made, title, from) => {
    expect(toolLabel(made, servers)).toMatchObject({ title, server: from });
  });

  test('shows hidden characters in names as escapes', () => {
    const sly = server('b\u200b', [{ name: 'del\u202eete' }, { name: 'add', title: 'Ad\u2066d' }]);
    expect(toolLabel(call('del\u202eete', sly.id), [sly])).toMatchObject({
      title: 'del⟨U+202E⟩ete',
      server: 'b⟨U+200B⟩',
    });
    expect(toolLabel(call('add', sly.id), [sly]).title).toBe('Ad⟨U+2066⟩d');
    expect(toolLabel(call('x', sly.id), []).server).toBe('b⟨U+200B⟩');
    expect(toolLabel(call('x\u200e', null), []).title).toBe('x⟨U+200E⟩');
  });

  test('shows letters that imitate others as escapes', () => {
    const sly = server('fil\u0435s', [{ name: 'r\u0435ad' }, { name: 'add', title: 'R\u0435ad file' }]);
    expect(toolLabel(call('r\u0435ad', sly.id), [sly])).toMatchObject({
      title: 'r⟨U+0435⟩ad',
      server: 'fil⟨U+0435⟩s',
    });
    expect(toolLabel(call('add', sly.id), [sly]).title).toBe('R⟨U+0435⟩ad file');
  });

  test('names the only tool with that name while its arguments stream', () => {
    expect(toolLabel({ name: 'add', tool: null, arguments: null }, servers).title).toBe('Add numbers');
    expect(toolLabel({ name: 'echo', tool: null, arguments: null }, servers)).toMatchObject({
      title: 'echo',
      server: null,
    });
  });
});

describe('tool facts', () => {
  test.each<[ToolAnnotations | undefined, string[]]>([
    [undefined, ['unsaid']],
    [{}, ['unsaid']],
    [{ readOnly: true, destructive: true, openWorld: true }, ['reads', 'outside']],
    [{ destructive: true, openWorld: false }, ['destroys', 'inside']],
    [{ destructive: false, idempotent: true }, ['adds', 'repeatable']],
  ])('%j', (annotations, facts) => {
    const servers = [server('a', [{ name: 'act', ...defined({ annotations }) }])];
    expect(toolLabel(call('act', 'a'), servers).effects).toEqual(facts);
  });
});
