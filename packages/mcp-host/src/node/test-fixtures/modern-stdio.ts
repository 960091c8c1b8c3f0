import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createModernServer } from './modern-tools.ts';

// A late server reads nothing before it receives `initialize` too.
if (process.env['LATE'] === 'yes') {
  let received = '';
  while (!received.includes('"initialize"')) {
    await once(process.stdin, 'readable');
    received += String(process.stdin.read() ?? '');
  }
  process.stdin.unshift(received);
}
serveStdio(createModernServer);
process.stderr.write('serving\n');
