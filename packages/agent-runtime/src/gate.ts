import type { ErrorInfo, ToolChange, ToolReference } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { CallAbout } from './state.ts';

/** `manual`: a person is asked. `headless`: nobody can be, so what would need a person is refused. */
export type InterventionMode = 'manual' | 'headless';

export type Verdict =
  { decision: 'run' } | { decision: 'ask'; about?: CallAbout } | { decision: 'refused'; refusal: ErrorInfo };

/** What is known of a tool when a call of it is judged. */
export type JudgedTool = {
  builtIn: boolean;
  readOnly: boolean;
  /** How it differs from what was approved of it; absent where it does not. */
  changed?: ToolChange;
  /** Asked only where a person is. */
  about?: () => CallAbout;
};

export type GateOptions = {
  mode: InterventionMode;
  /** What the owner decided about a tool before; undefined where nothing was. */
  permission: (tool: ToolReference) => 'allow' | 'never' | undefined;
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
    const reference = formatToolReference(tool);
    const decided = options.permission(tool);
    if (decided === 'never') return { decision: 'refused', refusal: neverAllowed(reference) };
    const judged = options.lookUp(tool);
    if (isHarmless(judged)) return { decision: 'run' };
    // An approval is one of the tool as it was.
    if (decided === 'allow' && judged?.changed === undefined) return { decision: 'run' };
    switch (options.mode) {
      case 'manual': {
        const about = judged?.about?.();
        return { decision: 'ask', ...(about === undefined ? {} : { about }) };
      }
      case 'headless':
        return {
          decision: 'refused',
          refusal: judged?.changed === undefined ? needsPerson(reference) : hasChanged(reference),
        };
    }
  };
}

/** Why a call must not be made; undefined where it may be, or a person can still say so. */
export function refusalOf(verdict: Verdict): ErrorInfo | undefined {
  return verdict.decision === 'refused' ? verdict.refusal : undefined;
}

/** What Toolyard registered itself and only reads: it runs unasked, and may be repeated. */
export function isHarmless(tool: JudgedTool | undefined): boolean {
  return tool !== undefined && tool.builtIn && tool.readOnly;
}

function needsPerson(reference: string): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `${reference} needs a person's approval, and there is nobody to ask.`,
    hint: `Allow it beforehand with --allow ${reference}`,
  };
}

function hasChanged(reference: string): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `${reference} is not what it was when it was approved, and there is nobody to ask.`,
    hint: 'Look at what has changed and approve it again.',
  };
}

function neverAllowed(reference: string): ErrorInfo {
  return {
    code: 'tool_refused',
    message: `The owner never allows ${reference}. Do not try it again.`,
    hint: 'The decision can be taken back in the settings, under permissions.',
  };
}
