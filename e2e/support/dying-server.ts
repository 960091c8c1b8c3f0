import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ASK_USER_SERVER } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { Failpoint } from '@toolyard/protocol';
import type { ServerOptions } from '@toolyard/server';
import { startServer } from '@toolyard/server';
import { killThisProcess } from '@toolyard/testing';
import { PATIENT, serverOptions } from './server-options.ts';
import { watched } from './watched-storage.ts';

/**
 * A server that is killed at a failpoint: `node dying-server.ts <folder> <port> <servers as JSON> [place] [hit] [after]`. The
 * place `*` stands for every one; hits count once the place `after` was passed. The model is that of OPENAI_BASE_URL; the places passed are written to the file
 * PASSED_FILE names. With DATABASE_URL it works over that database, in the role of
 * TOOLYARD_ROLE; SIGTERM ends it in order; with EVERY_CALL whatever
 * is asked of the store is a failpoint, too; with ASK_USER the model may ask the person. While there is the file
 * HELD_FILE names, calls are held when they are stored as sent and before they are made. LEASE_MS is how long it may be
 * held up and keep what it has.
 */
const [dataDir = '', port = '0', servers = '[]', place = '', hit = '1', after = ''] = process.argv.slice(2);
const {
  PASSED_FILE: passedFile,
  EVERY_CALL: everyCall,
  ASK_USER: askUser,
  DATABASE_URL: databaseUrl,
  DATABASE_NOTIFY: notify,
  TOOLYARD_ROLE: role,
  HELD_FILE: heldFile = '',
  LEASE_MS: leaseMs,
} = process.env;
const LOOK_AGAIN_MS = 20;

let left = Number(hit);
let counts = after === '';
const failpoint: Failpoint = (name) => {
  if (passedFile !== undefined) appendFileSync(passedFile, `${name}\n`);
  if (counts && (name === place || place === '*') && --left === 0) void killThisProcess();
  counts ||= name === after;
  return name === 'run:sent' && existsSync(heldFile) ? untilLetGo() : undefined;
};

async function untilLetGo(): Promise<void> {
  while (existsSync(heldFile)) await sleep(LOOK_AGAIN_MS);
}

const server = await startServer(
  serverOptions({
    dataDir,
    port: Number(port),
    builtInServers: askUser === undefined ? [] : [ASK_USER_SERVER],
    servers: JSON.parse(servers) as ServerConfig[],
    env: process.env,
    ...(databaseUrl === undefined ? {} : { databaseUrl, databaseNotify: notify !== 'off' }),
    // Where there is no API, it tells how it is by its metrics.
    ...(role === undefined ? {} : { role: role as NonNullable<ServerOptions['role']>, metrics: true }),
    log: (line) => process.stderr.write(`${line}\n`),
  }),
  {
    ...PATIENT,
    failpoint,
    ...(leaseMs === undefined ? {} : { leaseMs: Number(leaseMs) }),
    ...(everyCall === undefined ? {} : { watchStorage: (storage) => watched(storage, failpoint) }),
  },
);
// A test that was cut off leaves nothing behind: with its process what this one reads from ends.
process.stdin.once('close', () => process.exit(1)).resume();
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.stdout.write(`${server.url}\n`);
