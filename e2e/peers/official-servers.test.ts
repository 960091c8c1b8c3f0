// Widely used reference servers of the MCP project.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpHost } from '@toolyard/mcp-host';
import type { JsonObject, ToolResult } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { getHealth, connectHost } from './connect-host.ts';
import { overStdio } from './peer-commands.ts';

let folder: string;
let host: McpHost;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolyard-peers-')));
});
afterEach(() => host.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (serverId: string, name: string, args: JsonObject = {}): Promise<ToolResult> =>
  host.callTool({ serverId, name }, args);

describe('server-filesystem', () => {
  const PACKAGE = '@modelcontextprotocol/server-filesystem';

  test('runs every tool on real files, with structured content beside text', async () => {
    host = await connectHost([{ id: 'files', transport: overStdio(PACKAGE, [folder]) }]);
    expect(getHealth(host, 'files')).toMatchObject({ toolCount: 14, skipped: [] });
    const file = join(folder, 'a.txt');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(join(folder, 'dot.png'), Buffer.from(png, 'base64'));
    const calls: [string, JsonObject, RegExp][] = [
      ['list_allowed_directories', {}, /toolyard-peers/],
      ['write_file', { path: file, content: 'one\ntwo\n' }, /wrote/],
      ['read_file', { path: file }, /one/],
      ['read_text_file', { path: file, head: 1 }, /one/],
      ['read_multiple_files', { paths: [file] }, /two/],
      ['edit_file', { path: file, edits: [{ oldText: 'two', newText: 'three' }] }, /three/],
      ['create_directory', { path: join(folder, 'sub') }, /sub/],
      ['move_file', { source: file, destination: join(folder, 'sub', 'b.txt') }, /b\.txt/],
      ['list_directory', { path: folder }, /\[DIR\] sub/],
      ['list_directory_with_sizes', { path: folder }, /dot\.png/],
      ['directory_tree', { path: folder }, /b\.txt/],
      ['search_files', { path: folder, pattern: '**/*.txt' }, /b\.txt/],
      ['get_file_info', { path: folder }, /isDirectory/],
    ];
    for (const [name, args, says] of calls) {
      const result = await call('files', name, args);
      expect({ name, ...result }).toMatchObject({
        isError: false,
        outcome: 'done',
        structured: expect.anything() as unknown,
      });
      expect(JSON.stringify(result.content)).toMatch(says);
    }
    const { content } = await call('files', 'read_media_file', { path: join(folder, 'dot.png') });
    expect(content).toEqual([{ type: 'image', mimeType: 'image/png', source: { data: png } }]);
    expect(readFileSync(join(folder, 'sub', 'b.txt'), 'utf8')).toBe('one\nthree\n');
    // Its results match its output schemas.
    expect(getHealth(host, 'files').log.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('passes its error messages to the model', async () => {
    host = await connectHost([{ id: 'files', transport: overStdio(PACKAGE, [folder]) }]);
    const refused = await call('files', 'read_text_file', { path: '/etc/hosts' });
    expect(refused).toMatchObject({ isError: true, outcome: 'done' });
    expect(JSON.stringify(refused.content)).toContain('outside allowed directories');
  });

  test('roots replace the folders of its arguments, also when they change', async () => {
    let root = join(folder, 'one');
    host = await connectHost([{ id: 'files', transport: overStdio(PACKAGE, [folder]) }], {
      handlers: { roots: () => [{ uri: `file://${root}` }] },
    });
    const allowed = async (): Promise<string> =>
      JSON.stringify((await call('files', 'list_allowed_directories')).content);
    rmSync(root, { recursive: true, force: true });
    root = realpathSync(mkdtempSync(join(folder, 'two-')));
    await host.rootsChanged();
    await eventually(async () => (await allowed()).includes(root) && !(await allowed()).includes(`${folder}\\n`));
  });
});

test('server-memory stores entities and notifies about changes of its resource', async () => {
  const transport = overStdio('@modelcontextprotocol/server-memory', [], {
    MEMORY_FILE_PATH: join(folder, 'memory.jsonl'),
  });
  host = await connectHost([{ id: 'memory', transport }]);
  const [graph] = await eventually(() => {
    const listed = host.resources.resources('memory');
    return listed.length > 0 && listed;
  });
  if (graph === undefined) throw new Error('it lists no resource');
  let updates = 0;
  const end = await host.resources.follow('memory', graph.uri, () => updates++);
  const entity = (name: string): JsonObject => ({ name, entityType: 'place', observations: ['has tides'] });
  const calls: [string, JsonObject][] = [
    ['create_entities', { entities: [entity('Dover'), entity('Calais')] }],
    ['create_relations', { relations: [{ from: 'Dover', to: 'Calais', relationType: 'faces' }] }],
    ['add_observations', { observations: [{ entityName: 'Dover', contents: ['is white'] }] }],
    ['read_graph', {}],
    ['search_nodes', { query: 'white' }],
    ['open_nodes', { names: ['Dover'] }],
    ['delete_observations', { deletions: [{ entityName: 'Dover', observations: ['has tides'] }] }],
    ['delete_relations', { relations: [{ from: 'Dover', to: 'Calais', relationType: 'faces' }] }],
    ['delete_entities', { entityNames: ['Calais'] }],
  ];
  expect(calls.map(([name]) => name).toSorted()).toEqual(
    host
      .tools()
      .map(({ name }) => name)
      .toSorted(),
  );
  for (const [name, args] of calls) {
    expect({ name, ...(await call('memory', name, args)) }).toMatchObject({ isError: false, outcome: 'done' });
  }
  await eventually(() => updates > 0);
  const [contents] = await host.resources.read('memory', graph.uri);
  expect(contents).toMatchObject({ text: expect.stringContaining('is white') as string });
  expect(contents).not.toMatchObject({ text: expect.stringContaining('Calais') as string });
  expect(getHealth(host, 'memory').log.filter(({ level }) => level === 'warning')).toEqual([]);
  await end();
});

test('server-sequential-thinking keeps state in one process over several calls', async () => {
  host = await connectHost([{ id: 'think', transport: overStdio('@modelcontextprotocol/server-sequential-thinking') }]);
  for (const thoughtNumber of [1, 2, 3]) {
    const args = { thought: 'so', nextThoughtNeeded: thoughtNumber < 3, thoughtNumber, totalThoughts: 3 };
    expect(await call('think', 'sequentialthinking', args)).toMatchObject({
      isError: false,
      structured: { thoughtHistoryLength: thoughtNumber },
    });
  }
});
