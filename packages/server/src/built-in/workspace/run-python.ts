import type { FunctionTool } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { RunProgram } from './program.ts';
import { DEFAULT_SECONDS, MAX_SECONDS } from './shell.ts';

const MAX_CODE_LENGTH = 100_000;

/** @param python the command of the user's own Python */
export function createRunPython(run: RunProgram, python: string): FunctionTool {
  return tool({
    name: 'run_python',
    title: 'Run Python',
    description:
      'Runs Python code with the Python of the user in the workspace folder and returns what it prints. It runs in a sandbox: it can change files of the workspace only, and has no network.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, maxLength: MAX_CODE_LENGTH },
        timeout_seconds: { type: 'integer', minimum: 1, maximum: MAX_SECONDS, description: 'Default 60.' },
      },
      required: ['code'],
    },
    annotations: { readOnly: false, destructive: true, openWorld: false },
    execute: ({ code, timeout_seconds: seconds = DEFAULT_SECONDS }, ctx) =>
      run({ id: 'toolyard-python', command: python, args: ['-'], input: code }, seconds * 1_000, ctx),
  });
}
