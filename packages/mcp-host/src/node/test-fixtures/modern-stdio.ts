import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createModernServer } from './modern-tools.ts';

const delay = Number(process.argv[2] ?? 0);
// A server that takes its time to start is not a server of the older protocol.
setTimeout(() => void serveStdio(createModernServer), delay);
