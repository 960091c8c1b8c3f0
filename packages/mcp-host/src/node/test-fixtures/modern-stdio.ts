import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createModernServer } from './modern-tools.ts';

// One that is late reads nothing before it has been greeted the older way too.
if (process.env['LATE'] === 'yes') {
  let heard = '';
  while (!heard.includes('"initialize"')) {
    await once(process.stdin, 'readable');
    heard += String(process.stdin.read() ?? '');
  }
  process.stdin.unshift(heard);
}
serveStdio(createModernServer);
process.stderr.write('serving\n');
