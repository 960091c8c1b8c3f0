import { hermes } from './hermes.ts';
import type { ToolCallFamily } from './types.ts';

/** The ways of writing tool calls that are understood. A new one is a module of its own and a line here. */
const TOOL_CALL_FAMILIES = { hermes } as const satisfies Record<string, ToolCallFamily>;

/** One family by name, or `auto`: whichever its marker shows it to be. */
export type ToolCallFormat = 'auto' | keyof typeof TOOL_CALL_FAMILIES;

/** The families a parser for `format` listens for, in order of precedence. */
export function familiesOf(format: ToolCallFormat): readonly ToolCallFamily[] {
  return format === 'auto' ? Object.values(TOOL_CALL_FAMILIES) : [TOOL_CALL_FAMILIES[format]];
}
