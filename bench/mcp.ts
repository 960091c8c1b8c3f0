// Cost of the MCP host compared with the bare SDK, with many servers and many tools.
import { noContext, runBench } from './harness/bench.ts';
import { measureCalls } from './mcp/calls.ts';
import { measureClosing } from './mcp/closing.ts';
import { measureConcurrent } from './mcp/concurrent.ts';
import { measureSlow } from './mcp/slow.ts';
import { measureStarting } from './mcp/starting.ts';
import { measureTools } from './mcp/tools.ts';

await runBench({
  name: 'mcp',
  parts: {
    calls: measureCalls,
    concurrent: measureConcurrent,
    slow: measureSlow,
    tools: measureTools,
    starting: measureStarting,
    closing: measureClosing,
  },
  contexts: noContext,
});
