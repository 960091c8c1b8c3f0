import { messageOf, ToolyardError, say } from '@toolyard/protocol';
import { tool } from '../functions/tool.ts';

const MAX_LENGTH = 2_000;

/** Evaluates arithmetic exactly, which models often get wrong. */
export const calculate = tool({
  name: 'calculate',
  title: say`Calculate`.text,
  description:
    say`Evaluates arithmetic exactly, with 64 digits: + - * / ^ % ! and functions such as sqrt, log, sin, round, mean, std, min, max, gcd, combinations; lists, matrices and units ("5 inch to cm"). Several lines may assign variables; the last line is the result.`
      .text,
  inputSchema: {
    type: 'object',
    properties: {
      expression: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, description: 'For example: (12.5 + 7) * 3^2' },
    },
    required: ['expression'],
  },
  annotations: { readOnly: true, openWorld: false },
  isolated: true,
  async execute({ expression }) {
    // Loaded with the first call, because the library is large.
    const { calculate: evaluate } = await import('./calculator.ts');
    try {
      return evaluate(expression);
    } catch (thrown) {
      throw new ToolyardError({ code: 'tool_failed', message: messageOf(thrown), hint: say`Correct the expression.` });
    }
  },
});
