import { runTool } from './run.ts';

/** `npm run conformance`: the whole official MCP conformance suite, against our host and our server. */
process.env['TOOLYARD_LONG'] = '1';
const { code } = await runTool('vitest/vitest.mjs', [
  'run',
  'e2e/conformance/client.long',
  'e2e/conformance/server.long',
]);
process.exitCode = code;
