import { expect } from 'vitest';
import { ownPort } from '@toolyard/testing';
import { connectHost } from './connect-host.ts';
import { overStdio, getProgram, startOnPort } from './peer-commands.ts';

/** Tests a server with a UI resource over stdio and HTTP: calls its tool and reads the resource. */
export async function expectPage(name: string, tool: string, page: string): Promise<void> {
  const port = await ownPort();
  const running = await startOnPort([getProgram(name)], port, { PORT: String(port) });
  try {
    const host = await connectHost([
      { id: 'piped', transport: overStdio(name, ['--stdio']) },
      { id: 'web', transport: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } },
    ]);
    try {
      for (const serverId of ['piped', 'web']) {
        const result = await host.callTool({ serverId, name: tool }, {});
        expect(result).toMatchObject({ isError: false, outcome: 'done', structured: expect.anything() as unknown });
        expect(await host.resources.read(serverId, page)).toMatchObject([
          { mimeType: 'text/html;profile=mcp-app', text: expect.stringContaining('<html') as string },
        ]);
      }
    } finally {
      await host.close();
    }
  } finally {
    await running.stop();
  }
}
