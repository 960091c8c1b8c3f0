import type { RequestPrelude } from '@toolyard/protocol';
import type { RequestMakings } from './assemble-request.ts';

/** Keeps what goes along with requests, and gives the id under which it is found again. */
export type KeepPrelude = (prelude: RequestPrelude) => string;

/** Hands it over only where it is another one than the last time: it is the same for nearly all requests of a run. */
export function preludeKeeper(keep: KeepPrelude | undefined): (makings: RequestMakings) => string | undefined {
  let last: { notes: unknown; tools: unknown; id: string } | null = null;
  return ({ sources: { serverInstructions: notes }, tools }) => {
    if (!keep) return undefined;
    if (last?.notes !== notes || last.tools !== tools) {
      last = { notes, tools, id: keep({ serverInstructions: [...notes], tools: tools.map(plain) }) };
    }
    return last.id;
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
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
