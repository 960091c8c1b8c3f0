import { say } from '@toolyard/protocol';
import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { RunProgram } from './program.ts';
import { DEFAULT_SECONDS, RUNS_ANYTHING, TIMEOUT } from './program.ts';

const MAX_CODE_LENGTH = 100_000;

/** @param python the command of the user's own Python */
export function createRunPython(run: RunProgram, python: string): FunctionTool {
  return tool({
    name: 'run_python',
    title: say`Run Python`.text,
    description:
      say`Runs Python code with the Python of the user in the workspace folder and returns what it prints. It runs in a sandbox: it can change files of the workspace only, and has no network.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, maxLength: MAX_CODE_LENGTH },
        timeout_seconds: TIMEOUT,
      },
      required: ['code'],
    },
    annotations: RUNS_ANYTHING,
    execute: ({ code, timeout_seconds: seconds = DEFAULT_SECONDS }, ctx) =>
      run({ id: 'toolyard-python', command: python, args: ['-'], input: code }, seconds * 1_000, ctx),
  });
}
