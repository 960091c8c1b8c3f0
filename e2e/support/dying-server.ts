import { startServer } from '@toolyard/server';
import type { ServerConfig } from '@toolyard/mcp-host';
import { createFailpoints, killThisProcess } from '@toolyard/testing';

/**
 * A server that is killed at a failpoint: `node dying-server.ts <folder> <port> <servers as JSON> [place] [hit]`. The
 * model is that of OPENAI_BASE_URL.
 */
const [dataDir = '', port = '0', servers = '[]', place = '', hit = '1'] = process.argv.slice(2);
const failpoint = createFailpoints();
if (place !== '') failpoint.at(place, killThisProcess, { hit: Number(hit) });

const server = await startServer(
  {
    dataDir,
    host: '127.0.0.1',
    port: Number(port),
    allowHosts: [],
    ui: false,
    uiSettings: {},
    uiMcpProxy: false,
    builtInServers: [],
    flagServers: JSON.parse(servers) as ServerConfig[],
    env: process.env,
    log: (line) => process.stderr.write(`${line}\n`),
  },
  { failpoint },
);
process.stdout.write(`${server.url}\n`);
