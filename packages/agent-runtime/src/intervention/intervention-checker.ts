import type {
  ErrorInfo,
  InterventionMode,
  InterventionRule,
  JsonObject,
  TextCall,
  ToolChange,
  ToolReference,
  TranslatableText,
  AnyText,
} from '@toolyard/protocol';
import { createErrorInfo, alwaysAsks, formatToolReference, say, withTemplates } from '@toolyard/protocol';
import type { CallToolFacts } from '../state.ts';
import { findDanger } from './blacklist.ts';
import type { CallContext } from './call-facts.ts';
import { CallFacts } from './call-facts.ts';
import { compileRules } from './rules.ts';

export type PolicyVerdict =
  | { decision: 'run' }
  | { decision: 'ask'; about?: CallToolFacts }
  | { decision: 'refused'; refusal: ErrorInfo };

/** What is known of a tool when a call of it is checked. */
export type ToolPolicyFacts = {
  builtIn: boolean;
  /** The server's annotations. They apply only to trusted servers and built-in tools. */
  readOnly: boolean;
  destructive?: boolean;
  trusted?: boolean;
  /** The tool has no access to anything but its arguments: nothing that they say is dangerous. */
  isolated?: boolean;
  /** How the tool differs from its approved definition; absent if it does not. */
  changed?: ToolChange;
  /** Called only if a user is asked. */
  about?: () => CallToolFacts;
  /** The tool's schema, and the working folder of its server. */
  callContext?: () => Pick<CallContext, 'inputSchema' | 'workingFolder'>;
};

export type InterventionOptions = {
  mode: InterventionMode;
  /** False if no approval can be requested, although the mode is not `headless`. */
  asks?: boolean | undefined;
  rules?: readonly InterventionRule[];
  /** Some stored rules are unreadable. One of them may forbid the call, so no stored decision allows one. */
  lostRules?: boolean;
  /** The stored decision about a tool; undefined without one. */
  permission: (tool: ToolReference) => 'allow' | 'never' | undefined;
  /** Toolyard's own paths, and the resolution of symbolic links. Without it paths are compared as they are written. */
  callContext?: Pick<CallContext, 'own' | 'resolvePath'> | undefined;
  /** Looks a tool up; undefined if it does not exist any more. */
  lookUp: (tool: ToolReference) => ToolPolicyFacts | undefined;
};

/** Checks a call with the arguments it would be made with; `textCall` if the model wrote it as text. */
export type Gate = (tool: ToolReference, args: JsonObject, textCall?: TextCall) => PolicyVerdict;

/**
 * Decides whether a call may be made without asking. The first matching row applies:
 *
 * | condition                                            | the call                                            |
 * |------------------------------------------------------|-----------------------------------------------------|
 * | a stored decision or a rule says never               | is refused                                          |
 * | the blacklist: dangerous, or cannot be analyzed, and | needs approval of this very call                    |
 * | the tool is not isolated                             |                                                     |
 * | rules are unreadable, and the tool is not a built-in | needs approval of this very call                    |
 * | read-only one                                        |                                                     |
 * | a rule says ask                                      | needs approval                                      |
 * | written as text: copied from data, in a quote or in  | needs approval of this very call                    |
 * | code, or made a call by the user                     |                                                     |
 * | built in, read-only and not open-world               | runs                                                |
 * | the tool changed since it was approved               | needs approval                                      |
 * | a stored decision allows the tool                    | runs                                                |
 * | a rule allows it, and the mode is not `manual`       | runs                                                |
 * | the mode is `auto`                                   | runs                                                |
 * | otherwise                                            | needs approval                                      |
 *
 * In the mode `headless` no approval can be requested: calls that need it are refused.
 *
 * Only tools that Toolyard itself registers are built in: a server cannot make itself trusted by its name or by
 * declaring its own tool read-only.
 */
export class InterventionChecker {
  readonly #options: InterventionOptions;
  readonly #decideByRules: ReturnType<typeof compileRules>;

  constructor(options: InterventionOptions) {
    this.#options = options;
    this.#decideByRules = compileRules(options.rules ?? []);
  }

  check(tool: ToolReference, args: JsonObject, textCall?: TextCall): PolicyVerdict {
    const verdict = this.#check(tool, args, textCall);
    if (verdict.decision !== 'ask' || textCall === undefined) return verdict;
    return { ...verdict, about: { ...verdict.about, textCall } };
  }

  #check(tool: ToolReference, args: JsonObject, textCall: TextCall | undefined): PolicyVerdict {
    const { mode, lostRules, permission, lookUp } = this.#options;
    const reference = formatToolReference(tool);
    const decided = permission(tool);
    if (decided === 'never') return refused('neverAllowed', reference);
    const toolFacts = lookUp(tool);
    const hints = trustedHints(toolFacts);
    const facts = new CallFacts(tool, args, { ...this.#options.callContext, ...toolFacts?.callContext?.() });
    const ruleDecision = this.#decideByRules(facts, hints);
    if (ruleDecision === 'never') return refused('ruledOut', reference);
    const danger = toolFacts?.isolated === true ? null : findDanger(facts, hints.readOnly);
    if (danger) return this.#ask(toolFacts, refused('dangerous', reference, danger.why), { danger: danger.why });
    const harmless = isHarmless(toolFacts);
    if (lostRules === true && !harmless)
      return this.#ask(toolFacts, refused('rulesLost', reference), { danger: RULES_LOST });
    if (ruleDecision === 'ask') return this.#ask(toolFacts, refused('needsApproval', reference), { byRule: true });
    if (textCall !== undefined && alwaysAsks(textCall)) return this.#ask(toolFacts, refused('copied', reference));
    if (harmless) return RUN;
    if (toolFacts?.changed !== undefined) return this.#ask(toolFacts, refused('changed', reference));
    if (decided === 'allow' || (ruleDecision === 'allow' && mode !== 'manual') || (mode === 'auto' && toolFacts))
      return RUN;
    return this.#ask(toolFacts, refused('needsApproval', reference));
  }

  #ask(
    toolFacts: ToolPolicyFacts | undefined,
    otherwise: PolicyVerdict,
    why: { danger?: TranslatableText; byRule?: true } = {},
  ): PolicyVerdict {
    if (this.#options.mode === 'headless' || this.#options.asks === false) return otherwise;
    const about = { ...toolFacts?.about?.(), ...withTemplates(why) };
    return { decision: 'ask', ...(Object.keys(about).length === 0 ? {} : { about }) };
  }
}

/** Why a call is dangerous, judged by its text. */
export function dangerOf(
  tool: ToolReference,
  args: JsonObject,
  context: Pick<CallContext, 'own'> = {},
): TranslatableText | undefined {
  return findDanger(new CallFacts(tool, args, context), false)?.why;
}

const RULES_LOST = say`Some stored rules are unreadable, and one of them may forbid this call.`;

const RUN: PolicyVerdict = { decision: 'run' };

/** Why a call must not be made; undefined if it may be, or if a user can still approve it. */
export function refusalOf(verdict: PolicyVerdict): ErrorInfo | undefined {
  return verdict.decision === 'refused' ? verdict.refusal : undefined;
}

/** Read-only tools of Toolyard itself: they run without approval and may be repeated. */
export function isHarmless(tool: ToolPolicyFacts | undefined): boolean {
  return tool !== undefined && tool.builtIn && tool.readOnly;
}

function trustedHints(tool: ToolPolicyFacts | undefined): { readOnly: boolean; destructive: boolean } {
  const isTrusted = tool !== undefined && (tool.builtIn || tool.trusted === true);
  const readOnly = isTrusted && tool.readOnly;
  return { readOnly, destructive: !readOnly && !(isTrusted && tool.destructive === false) };
}

function refused(reason: keyof typeof REFUSALS, tool: string, why: AnyText = ''): PolicyVerdict {
  return {
    decision: 'refused',
    refusal: createErrorInfo({ code: 'tool_refused', ...(REFUSALS[reason] as Refusal)(tool, why) }),
  };
}

type Refusal = (tool: string, why: AnyText) => { message: AnyText; hint: AnyText };

/** Messages and hints for refused calls. */
const REFUSALS = {
  neverAllowed: (tool) => ({
    message: say`${tool} is set to "never". Do not call it again.`,
    hint: say`The decision can be removed in the settings, under permissions.`,
  }),
  ruledOut: (tool) => ({
    message: say`A rule forbids this call of ${tool}. Do not retry it.`,
    hint: say`The rule is in the configuration, under "interventionRules".`,
  }),
  dangerous: (tool, why) => ({
    message: `This call of ${tool} is flagged as dangerous, needs approval, and no user can be asked. ${String(why)}`,
    hint: 'Run it where a user can be asked.',
  }),
  rulesLost: (tool) => ({
    message: `${tool} needs approval, and no user can be asked. ${RULES_LOST.text}`,
    hint: 'Check the rules in the settings, and confirm there that they are complete.',
  }),
  changed: (tool) => ({
    message: `${tool} changed since it was approved, and no user can be asked.`,
    hint: 'Check the changes and approve the tool again.',
  }),
  copied: (tool) => ({
    message: `This call of ${tool} is text that the model repeats, quotes or shows as code. It needs approval, and no user can be asked. Do not repeat it.`,
    hint: 'Run it where a user can be asked.',
  }),
  needsApproval: (tool) => ({
    message: `${tool} needs approval, and no user can be asked.`,
    hint: `Allow it beforehand with --allow ${tool}`,
  }),
} satisfies Record<string, Refusal>;
