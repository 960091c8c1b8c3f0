import type { ApprovalScope, InterruptAnswer, JsonObject } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { createRequestError } from '../errors.ts';

export type AnswerFlags = {
  all?: boolean;
  approve?: boolean;
  deny?: boolean;
  reason?: string;
  scope: ApprovalScope;
  arguments?: JsonObject;
  accept?: boolean;
  content?: JsonObject;
  decline?: boolean;
  text?: string;
  choose: string[];
  repeat?: boolean;
  failed?: boolean;
  result?: string;
  allow?: boolean;
  signedIn?: boolean;
  raise?: number;
  stop?: boolean;
  answer?: InterruptAnswer;
  json?: boolean;
};

/**
 * The answer that the flags give; null if they give none.
 *
 * @throws ToolyardError for two answers, or for a flag of another answer
 */
export function answerFromFlags(flags: AnswerFlags): InterruptAnswer | null {
  const { scope, reason, content, result, text, choose } = flags;
  const answers: InterruptAnswer[] = [];
  const add = (isGiven: boolean | undefined, answer: InterruptAnswer): void => {
    if (isGiven === true) answers.push(answer);
  };
  const edited = flags.arguments === undefined ? {} : { arguments: flags.arguments };
  add(flags.approve, { decision: 'approve', scope, ...edited });
  add(flags.deny, {
    decision: 'refuse',
    scope: scope === 'always' ? 'always' : 'once',
    ...defined({ reason }),
    ...(flags.stop === true ? { stops: true } : {}),
  });
  add(flags.accept, { decision: 'accept', ...defined({ content }) });
  add(flags.decline, { decision: 'decline' });
  add(text !== undefined, { decision: 'say', text: text ?? '' });
  add(choose.length > 0, { decision: 'choose', chosen: choose });
  add(flags.repeat, { decision: 'repeat' });
  add(flags.failed, { decision: 'failed' });
  add(result !== undefined, { decision: 'result', text: result ?? '' });
  add(flags.allow, { decision: 'allow' });
  add(flags.signedIn, { decision: 'signed_in' });
  add(flags.raise !== undefined, {
    decision: 'raise',
    limit: flags.raise ?? 0,
    scope: scope === 'once' ? 'run' : scope,
  });
  add(flags.stop === true && flags.deny !== true, { decision: 'stop' });
  if (flags.answer !== undefined) answers.push(flags.answer);

  if (answers.length > 1) throw createRequestError('The flags give more than one answer.', 'Pass one answer.');
  requireFlag(flags.arguments !== undefined, flags.approve, '--arguments', '--approve');
  requireFlag(reason !== undefined, flags.deny, '--reason', '--deny');
  requireFlag(content !== undefined, flags.accept, '--content', '--accept');
  if (scope === 'conversation' && flags.deny === true) {
    throw createRequestError(
      '--scope conversation cannot be combined with --deny.',
      'Use --scope once, or --scope always to deny every call.',
    );
  }
  return answers[0] ?? null;
}

function requireFlag(isGiven: boolean, other: boolean | undefined, flag: string, to: string): void {
  if (isGiven && other !== true) throw createRequestError(`${flag} requires ${to}.`, `Add ${to}.`);
}
