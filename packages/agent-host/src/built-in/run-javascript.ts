import { say } from '@toolyard/protocol';
import type { FunctionTool } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';
import type { ExecuteScript, ScriptOutput } from './script.ts';

const LIMITS = { timeoutMs: 5_000, memoryBytes: 64 * 1024 * 1024, maxOutputLength: 30_000 };
const MAX_CODE_LENGTH = 100_000;

/** Executes JavaScript in a sandbox of its own; `execute` is what an environment needs for that. */
export function createRunJavaScript(execute: ExecuteScript): FunctionTool {
  return tool({
    name: 'run_javascript',
    title: say`Run JavaScript`.text,
    description:
      say`Executes JavaScript (ES2023) in an isolated sandbox and returns what it prints with console.log and the value of its last expression. Use it to compute, or to transform text and JSON. There is no network, no files, no timers, no modules and no state between calls; 5 s and 64 MB at most.`
        .text,
    inputSchema: {
      type: 'object',
      properties: { code: { type: 'string', minLength: 1, maxLength: MAX_CODE_LENGTH } },
      required: ['code'],
    },
    annotations: { readOnly: true, openWorld: false },
    isolated: true,
    async execute({ code }, { signal }) {
      const output = await execute({ code, ...LIMITS }, signal);
      const isError = output.error !== undefined;
      return { content: [{ type: 'text', text: formatOutput(output) }], isError, outcome: 'done' };
    },
  });
}

function formatOutput({ printed, value, error, isCut }: ScriptOutput): string {
  const parts = [
    printed.trimEnd(),
    ...(isCut ? [`[cut: a script may print ${LIMITS.maxOutputLength} characters]`] : []),
    ...(value === undefined ? [] : [`=> ${value}`]),
    ...(error === undefined ? [] : [error]),
  ];
  return parts.filter((part) => part !== '').join('\n') || 'The script printed nothing and has no value.';
}
