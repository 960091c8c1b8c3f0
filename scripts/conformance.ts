import { runTool } from './run.ts';

/** `npm run conformance`: the official MCP conformance suite against the MCP host and the test server. */
process.env['TOOLYARD_LONG'] = '1';
const { code } = await runTool('vitest/vitest.mjs', [
  'run',
  'e2e/conformance/client.long',
  'e2e/conformance/server.long',
]);
process.exitCode = code;
