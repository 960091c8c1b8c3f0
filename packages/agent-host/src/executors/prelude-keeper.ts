import type { RequestPrelude } from '@toolyard/protocol';
import { defined, textOf } from '@toolyard/protocol';
import type { RequestInputs } from './assemble-request.ts';

/** Stores a prelude and returns its id. */
export type KeepPrelude = (prelude: RequestPrelude) => string;

/** Stores a prelude only if it differs from the last one: nearly all requests of a run share it. */
export function createPreludeKeeper(keep: KeepPrelude | undefined): (inputs: RequestInputs) => string | undefined {
  let last: { of: readonly unknown[]; id: string } | null = null;
  return (inputs) => {
    if (!keep) return undefined;
    const { sources, tools, conversation } = inputs;
    const of = [sources, tools, conversation[0]];
    if (!last?.of.every((each, index) => each === of[index])) last = { of, id: keep(toPrelude(inputs)) };
    return last.id;
  };
}

function toPrelude({ sources, tools, conversation: [first] }: RequestInputs): RequestPrelude {
  const { serverInstructions, skills, historyMessages, inputTemplate, examples } = sources;
  return {
    instructions: first?.role === 'system' && !first.compaction ? textOf(first) : '',
    serverInstructions: [...serverInstructions],
    tools: tools.map(plain),
    ...defined({ skills, historyMessages, inputTemplate }),
    ...(examples ? { examples: [...examples] } : {}),
  };
}

/** Without the fields that are used in this process only. */
function plain(tool: RequestPrelude['tools'][number]): RequestPrelude['tools'][number] {
  const { tool: reference, name, title, description, inputSchema, outputSchema, annotations, builtIn } = tool;
  return {
    tool: reference,
    name,
    inputSchema,
    builtIn,
    ...defined({ title, description, outputSchema, annotations }),
  };
}
