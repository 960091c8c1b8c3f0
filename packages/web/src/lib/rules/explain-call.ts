import { InterventionChecker } from '@toolyard/agent-runtime';
import type {
  InterventionMode,
  InterventionRule,
  JsonObject,
  McpServerView,
  McpToolView,
  ToolReference,
  TextTemplate,
} from '@toolyard/protocol';
import { defined, readsOnlyInside } from '@toolyard/protocol';
import type { CallContext, ToolPolicyFacts } from '@toolyard/agent-runtime';

export type CallToExplain = {
  tool: ToolReference;
  args: JsonObject;
  mode: InterventionMode;
  rules: readonly InterventionRule[];
  lostRules: boolean;
  permission: 'allow' | 'never' | undefined;
  judged: ToolPolicyFacts;
  /** URLs of Toolyard itself. */
  own?: CallContext['own'];
};

/** The decision about a call and its reason. `rules`: indexes of all rules that lead to it. */
export type CallExplanation = {
  decision: 'run' | 'ask' | 'refused';
  by:
    | { kind: 'owner' }
    | { kind: 'rules'; rules: readonly number[] }
    | { kind: 'danger'; why: string; template?: TextTemplate | undefined }
    | { kind: 'lost_rules' }
    | { kind: 'built_in' }
    | { kind: 'changed' }
    | { kind: 'mode' };
};

/** What the rules of all chats say about a call, and how a tool of a server is called. */
export type Ruling = Pick<CallToExplain, 'mode' | 'rules' | 'lostRules'>;
export type CalledTool = {
  server: Pick<McpServerView, 'builtIn' | 'trusted'>;
  view: McpToolView;
  args: JsonObject;
  /** Its schema and the working directory of its server, which matter for arguments. */
  context: Pick<CallContext, 'inputSchema' | 'workingFolder'>;
};

/** {@link explainCall} for a tool as the list of servers describes it. */
export function explainToolCall({ server, view, args, context }: CalledTool, ruling: Ruling): CallExplanation {
  const { readOnly, annotations, changed, permission } = view;
  return explainCall({
    ...ruling,
    tool: view.tool,
    args,
    permission: permission ?? undefined,
    own: { port: Number(location.port) || undefined },
    judged: {
      builtIn: server.builtIn,
      readOnly: server.builtIn ? readsOnlyInside(annotations) : readOnly,
      trusted: server.trusted === true,
      ...(server.builtIn && view.isolated === true ? { isolated: true } : {}),
      ...defined({ destructive: annotations?.destructive, changed }),
      callContext: () => context,
    },
  });
}

/** Uses the same check as runs, first for the call as a whole and then for each reason alone. */
export function explainCall(call: CallToExplain): CallExplanation {
  const { tool, args, mode, rules, lostRules, permission, judged } = call;
  const check = (options: Partial<Pick<CallToExplain, 'mode' | 'rules' | 'lostRules' | 'permission' | 'judged'>>) => {
    const used = { ...call, ...options };
    return new InterventionChecker({
      mode: used.mode,
      rules: used.rules,
      lostRules: used.lostRules,
      permission: () => used.permission,
      lookUp: () => used.judged,
      ...defined({ callContext: call.own && { own: call.own } }),
    }).check(tool, args);
  };
  /** The decision with only this rule, if nothing else prevents it. */
  const { changed, ...unchanged } = judged;
  const says = (rule: InterventionRule): InterventionRule['decision'] | undefined => {
    const allows = rule.decision === 'allow';
    const alone = check({
      mode: allows ? 'allow-list' : 'auto',
      rules: [rule],
      lostRules: false,
      permission: undefined,
      judged: { ...unchanged, builtIn: false, trusted: judged.builtIn || judged.trusted === true },
    });
    const fits = { allow: 'run', ask: 'ask', never: 'refused' } as const;
    return alone.decision === fits[rule.decision] ? rule.decision : undefined;
  };
  const saying = (decision: InterventionRule['decision']): number[] =>
    rules.flatMap((rule, index) => (rule.decision === decision && says(rule) === decision ? [index] : []));

  const { decision } = check({});
  if (permission === 'never') return { decision, by: { kind: 'owner' } };
  const forbidding = saying('never');
  if (forbidding.length > 0) return { decision, by: { kind: 'rules', rules: forbidding } };
  const flagged = check({ mode: 'auto', rules: [], lostRules: false, permission: 'allow', judged: unchanged });
  const { danger = '', templates } = flagged.decision === 'ask' ? (flagged.about ?? {}) : {};
  if (flagged.decision === 'ask')
    return { decision, by: { kind: 'danger', why: danger, template: templates?.['danger'] } };
  const isHarmless = judged.builtIn && judged.readOnly;
  if (lostRules && !isHarmless) return { decision, by: { kind: 'lost_rules' } };
  const asking = saying('ask');
  if (asking.length > 0) return { decision, by: { kind: 'rules', rules: asking } };
  if (isHarmless) return { decision, by: { kind: 'built_in' } };
  if (changed !== undefined) return { decision, by: { kind: 'changed' } };
  if (permission === 'allow') return { decision, by: { kind: 'owner' } };
  const allowing = mode === 'manual' ? [] : saying('allow');
  return { decision, by: allowing.length > 0 ? { kind: 'rules', rules: allowing } : { kind: 'mode' } };
}
