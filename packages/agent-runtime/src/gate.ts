import type { ErrorInfo, ToolReference } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';

/** `manual`: a person is asked. `headless`: nobody can be, so what would need a person is refused. */
export type InterventionMode = 'manual' | 'headless';

export type Verdict = { decision: 'run' } | { decision: 'ask' } | { decision: 'refused'; refusal: ErrorInfo };

/** What is known of a tool when a call of it is judged. */
export type JudgedTool = { builtIn: boolean; readOnly: boolean };

export type GateOptions = {
  mode: InterventionMode;
  /** Tools the owner allowed beforehand, as `server/tool`. */
  allowed: ReadonlySet<string>;
  /** Looks a tool up; undefined where it has gone since. */
  lookUp: (tool: ToolReference) => JudgedTool | undefined;
};

export type Gate = (tool: ToolReference) => Verdict;

/**
 * Decides whether a call may be made without asking.
 *
 * Only what Toolyard itself registered counts as built in: a server cannot make itself trusted by its name or by
 * calling its own tool read-only.
 */
export function createGate(options: GateOptions): Gate {
  return (tool) => {
    const known = options.lookUp(tool);
    if (known?.builtIn && known.readOnly) return { decision: 'run' };
    const reference = formatToolReference(tool);
    if (options.allowed.has(reference)) return { decision: 'run' };
    switch (options.mode) {
      case 'manual':
        return { decision: 'ask' };
      case 'headless':
        return {
          decision: 'refused',
          refusal: {
            code: 'tool_refused',
            message: `${reference} needs a person's approval, and there is nobody to ask.`,
            hint: `Allow it beforehand with --allow ${reference}`,
          },
        };
    }
  };
}
