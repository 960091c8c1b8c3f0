import { say } from '@toolyard/protocol';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { RunProgram } from './program.ts';
import { DEFAULT_SECONDS, RUNS_ANYTHING, TIMEOUT } from './program.ts';

/** What the policy parses; longer scripts would only need approval. */
const MAX_COMMAND_LENGTH = 32_000;

export function createShell(run: RunProgram): FunctionTool {
  return tool({
    name: 'shell',
    title: say`Run shell command`.text,
    description:
      say`Runs a command with sh in the workspace folder and returns its output and exit code. It runs in a sandbox: it can change files of the workspace only, and has no network. All its processes end with the call.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, maxLength: MAX_COMMAND_LENGTH },
        timeout_seconds: TIMEOUT,
      },
      required: ['command'],
    },
    annotations: RUNS_ANYTHING,
    execute: ({ command, timeout_seconds: seconds = DEFAULT_SECONDS }, ctx) =>
      run(
        // Constant arguments, so that all commands have the same private home folder.
        {
          id: 'toolyard-shell',
          command: 'sh',
          args: ['-c', 'eval "$TOOLYARD_COMMAND"'],
          env: { TOOLYARD_COMMAND: command },
          input: '',
        },
        seconds * 1_000,
        ctx,
      ),
  });
}
