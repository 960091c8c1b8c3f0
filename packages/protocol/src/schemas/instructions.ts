import { z } from 'zod';

export const instruction = z.enum([
  'call_llm',
  'call_tool',
  'call_tools_batch',
  'compress_context',
  'exec_sub_agent',
  'exec_sub_agents',
  'call_member',
  'pause_group',
  'request_human_approve',
  'request_human_budget',
  'request_human_prompt',
  'request_human_select',
  'resolve_aborted_tools',
  'finish',
]);
/** The instructions of the loop; each one, executed and committed, is a step. */
export type InstructionType = z.output<typeof instruction>;
