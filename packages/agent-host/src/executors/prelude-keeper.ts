import type { RequestPrelude } from '@toolyard/protocol';
import { defined, textOf } from '@toolyard/protocol';
import type { RequestInputs } from './assemble-request.ts';

/** Keeps what goes along with requests, and gives the id under which it is found again. */
export type KeepPrelude = (prelude: RequestPrelude) => string;

/** Hands it over only where it is another one than the last time: it is the same for nearly all requests of a run. */
export function createPreludeKeeper(keep: KeepPrelude | undefined): (makings: RequestInputs) => string | undefined {
  let last: { of: readonly unknown[]; id: string } | null = null;
  return (makings) => {
    if (!keep) return undefined;
    const { sources, tools, conversation } = makings;
    const of = [sources, tools, conversation[0]];
    if (!last?.of.every((each, index) => each === of[index])) last = { of, id: keep(preludeOf(makings)) };
    return last.id;
  };
}

function preludeOf({ sources, tools, conversation: [first] }: RequestInputs): RequestPrelude {
  const { serverInstructions, historyMessages, inputTemplate, examples } = sources;
  return {
    instructions: first?.role === 'system' && !first.folds ? textOf(first) : '',
    serverInstructions: [...serverInstructions],
    tools: tools.map(plain),
    ...defined({ historyMessages, inputTemplate }),
    ...(examples ? { examples: [...examples] } : {}),
  };
}

/** Without what is of use in this process only. */
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
