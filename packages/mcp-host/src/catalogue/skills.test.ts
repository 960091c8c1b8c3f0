import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { afterEach, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { connected, listen } from '../node/test-fixtures/peers.ts';

const GREETING = 'skill://greeting/SKILL.md';

let host: McpHost | undefined;
let stop = async (): Promise<void> => undefined;

afterEach(async () => {
  await host?.close();
  await stop();
});

/** A server with one skill of two files; `files` may be changed without an announcement. */
async function connect(files: Record<string, string> | undefined): Promise<McpHost> {
  const catalogue = files && (await SkillsExtension.load(memorySkillFiles(files)));
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const mcp = new McpServer({ name: 'skilled', version: '1.0.0' });
      mcp.registerTool('none', {}, () => ({ content: [] }));
      catalogue?.attach(mcp);
      return mcp;
    }),
  );
  const { url, close } = await listen((request, response) => {
    void handle(request as Parameters<typeof handle>[0], response);
  });
  stop = close;
  host = await connected([{ id: 'skilled', transport: { type: 'http', url } }]);
  return host;
}

function files(): Record<string, string> {
  return {
    'greeting/SKILL.md': '---\nname: greeting\ndescription: How to greet somebody\n---\n\nSay hello.\n',
    'greeting/words.md': 'Hello, and the name.\n',
  };
}

test('lists skills with their files and reads them one by one', async () => {
  const mcpHost = await connect(files());
  expect(await mcpHost.skills('skilled')).toEqual({
    skills: [
      {
        uri: GREETING,
        name: 'greeting',
        description: 'How to greet somebody',
        frontmatter: { name: 'greeting', description: 'How to greet somebody' },
        files: [
          { uri: GREETING, size: 70, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
          { uri: 'skill://greeting/words.md', size: 21, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
        ],
      },
    ],
    skipped: [],
  });
  expect(await mcpHost.readSkill('skilled', GREETING)).toMatchObject({ uri: GREETING, body: '\nSay hello.\n' });
  expect(await mcpHost.readSkill('skilled', GREETING, 'words.md')).toMatchObject({ text: 'Hello, and the name.\n' });
});

test('does not request a file that the skill does not list', async () => {
  const mcpHost = await connect(files());
  await expect(mcpHost.readSkill('skilled', GREETING, 'other.md')).rejects.toMatchObject({ code: 'bad_response' });
});

test('returns none for a server without skills', async () => {
  const mcpHost = await connect(undefined);
  expect(await mcpHost.skills('skilled')).toEqual({ skills: [], skipped: [] });
  await expect(mcpHost.readSkill('skilled', GREETING)).rejects.toThrow('skilled');
});
