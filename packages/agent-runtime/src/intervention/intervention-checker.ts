import type {
  ErrorInfo,
  InterventionMode,
  InterventionRule,
  JsonObject,
  ToolChange,
  ToolReference,
} from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { CallToolFacts } from '../state.ts';
import { findDanger } from './blacklist.ts';
import type { CallContext } from './call-facts.ts';
import { CallFacts } from './call-facts.ts';
import { compileRules } from './rules.ts';

export type PolicyVerdict =
  | { decision: 'run' }
  | { decision: 'ask'; about?: CallToolFacts }
  | { decision: 'refused'; refusal: ErrorInfo };

/** What is known of a tool when a call of it is judged. */
export type ToolPolicyFacts = {
  builtIn: boolean;
  /** What its server says of it. It counts only where the owner trusts the server, or Toolyard ships it. */
  readOnly: boolean;
  destructive?: boolean;
  trusted?: boolean;
  /** How it differs from what was approved of it; absent where it does not. */
  changed?: ToolChange;
  /** Asked only where a person is. */
  about?: () => CallToolFacts;
  /** Its schema, and the working folder of its server. */
  callContext?: () => Pick<CallContext, 'inputSchema' | 'workingFolder'>;
};

export type InterventionOptions = {
  mode: InterventionMode;
  /** False if no approval can be requested, although the mode is not `headless`. */
  asks?: boolean | undefined;
  rules?: readonly InterventionRule[];
  /** Of the owner's rules some cannot be read. One of them may say never: nothing lasting lets a call through. */
  lostRules?: boolean;
  /** What the owner decided about a tool before; undefined where nothing was. */
  permission: (tool: ToolReference) => 'allow' | 'never' | undefined;
  /** What Toolyard knows of itself, and how symbolic links are resolved. Without it paths are compared as they are written. */
  callContext?: Pick<CallContext, 'own' | 'resolvePath'> | undefined;
  /** Looks a tool up; undefined where it has gone since. */
  lookUp: (tool: ToolReference) => ToolPolicyFacts | undefined;
};

/** Judges a call by the very arguments it would be made with. */
export type Gate = (tool: ToolReference, args: JsonObject) => PolicyVerdict;

/**
 * Decides whether a call may be made without asking. In this order, the first that says something:
 *
 * | what is looked at                                    | the call                                            |
 * |------------------------------------------------------|-----------------------------------------------------|
 * | the owner, or a rule, says never                     | is refused                                          |
 * | the blacklist: dangerous, or not to be followed      | needs a person's yes to this very call              |
 * | rules cannot be read, and it is more than built in   | needs a person's yes to this very call              |
 * | and only reads                                       |                                                     |
 * | a rule says ask                                      | needs approval                                      |
 * | built in and only reads                              | runs                                                |
 * | the tool is not what was approved                    | needs approval                                      |
 * | the owner allowed the tool                           | runs                                                |
 * | a rule allows it, and the mode is not `manual`       | runs                                                |
 * | the mode is `auto`                                   | runs                                                |
 * | else                                                 | needs approval                                      |
 *
 * In the mode `headless` no approval can be requested: calls that need it are refused.
 *
 * Only what Toolyard itself registered counts as built in: a server cannot make itself trusted by its name or by
 * calling its own tool read-only.
 */
export class InterventionChecker {
  readonly #options: InterventionOptions;
  readonly #decideByRules: ReturnType<typeof compileRules>;

  constructor(options: InterventionOptions) {
    this.#options = options;
    this.#decideByRules = compileRules(options.rules ?? []);
  }

  check(tool: ToolReference, args: JsonObject): PolicyVerdict {
    const { mode, lostRules, permission, lookUp } = this.#options;
    const reference = formatToolReference(tool);
    const decided = permission(tool);
    if (decided === 'never') return refused('neverAllowed', reference);
    const judged = lookUp(tool);
    const hints = trustedHints(judged);
    const facts = new CallFacts(tool, args, { ...this.#options.callContext, ...judged?.callContext?.() });
    const ruled = this.#decideByRules(facts, hints);
    if (ruled === 'never') return refused('ruledOut', reference);
    const danger = findDanger(facts, hints.readOnly);
    if (danger) return this.#ask(judged, refused('dangerous', reference, danger.why), { danger: danger.why });
    const harmless = isHarmless(judged);
    if (lostRules === true && !harmless)
      return this.#ask(judged, refused('rulesLost', reference), { danger: RULES_LOST });
    if (ruled === 'ask') return this.#ask(judged, refused('needsPerson', reference), { byRule: true });
    if (harmless) return RUN;
    if (judged?.changed !== undefined) return this.#ask(judged, refused('changed', reference));
    if (decided === 'allow' || (ruled === 'allow' && mode !== 'manual') || (mode === 'auto' && judged)) return RUN;
    return this.#ask(judged, refused('needsPerson', reference));
  }

  #ask(
    judged: ToolPolicyFacts | undefined,
    otherwise: PolicyVerdict,
    why: Pick<CallToolFacts, 'danger' | 'byRule'> = {},
  ): PolicyVerdict {
    if (this.#options.mode === 'headless' || this.#options.asks === false) return otherwise;
    const about = { ...judged?.about?.(), ...why };
    return { decision: 'ask', ...(Object.keys(about).length === 0 ? {} : { about }) };
  }
}

/** Why a person is warned of a call of which nothing but its text is known. */
export function dangerOf(tool: ToolReference, args: JsonObject): string | undefined {
  return findDanger(new CallFacts(tool, args), false)?.why;
}

const RULES_LOST = 'Stored rules cannot be read, and one of them may forbid this.';

const RUN: PolicyVerdict = { decision: 'run' };

/** Why a call must not be made; undefined where it may be, or a person can still say so. */
export function refusalOf(verdict: PolicyVerdict): ErrorInfo | undefined {
  return verdict.decision === 'refused' ? verdict.refusal : undefined;
}

/** What Toolyard registered itself and only reads: it runs without approval, and may be repeated. */
export function isHarmless(tool: ToolPolicyFacts | undefined): boolean {
  return tool !== undefined && tool.builtIn && tool.readOnly;
}

function trustedHints(tool: ToolPolicyFacts | undefined): { readOnly: boolean; destructive: boolean } {
  const believed = tool !== undefined && (tool.builtIn || tool.trusted === true);
  const readOnly = believed && tool.readOnly;
  return { readOnly, destructive: !readOnly && !(believed && tool.destructive === false) };
}

function refused(reason: keyof typeof REFUSALS, tool: string, why = ''): PolicyVerdict {
  const [message, hint] = REFUSALS[reason];
  const fill = (text: string): string => text.replace('{tool}', () => tool).replace('{why}', () => why);
  return { decision: 'refused', refusal: { code: 'tool_refused', message: fill(message), hint: fill(hint) } };
}

const NOBODY = "needs a person's approval, and there is nobody to ask.";

/** Why a call is refused, and what to do about it. */
const REFUSALS = {
  neverAllowed: [
    'The owner never allows {tool}. Do not try it again.',
    'The decision can be taken back in the settings, under permissions.',
  ],
  ruledOut: [
    'A rule of the owner forbids this call of {tool}. Do not try it again.',
    'The rule is in the configuration, under "interventionRules".',
  ],
  dangerous: [
    "This call of {tool} needs a person's approval whatever is allowed, and there is nobody to ask. {why}",
    'Try it where a person can be asked.',
  ],
  rulesLost: [
    `{tool} ${NOBODY} ${RULES_LOST}`,
    'Look through the rules in the settings, and say there that they are complete.',
  ],
  changed: [
    '{tool} is not what it was when it was approved, and there is nobody to ask.',
    'Look at what has changed and approve it again.',
  ],
  needsPerson: [`{tool} ${NOBODY}`, 'Allow it beforehand with --allow {tool}'],
} as const;
