import type { ApprovalScope, InterruptAnswer, JsonObject } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';

export type AnswerFlags = {
  all?: boolean;
  approve?: boolean;
  refuse?: boolean;
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
 * The answer the flags spell out; null where they spell out none.
 *
 * @throws ToolyardError where they spell out two, or something that belongs to another
 */
export function answerFromFlags(flags: AnswerFlags): InterruptAnswer | null {
  const { scope, reason, content, result, text, choose } = flags;
  const found: InterruptAnswer[] = [];
  const add = (isMeant: boolean | undefined, answer: InterruptAnswer): void => {
    if (isMeant === true) found.push(answer);
  };
  const edited = flags.arguments === undefined ? {} : { arguments: flags.arguments };
  add(flags.approve, { decision: 'approve', scope, ...edited });
  add(flags.refuse, {
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
  add(flags.stop === true && flags.refuse !== true, { decision: 'stop' });
  if (flags.answer !== undefined) found.push(flags.answer);

  if (found.length > 1) throw wrong('These are two answers.', 'Give one.');
  belongs(flags.arguments !== undefined, flags.approve, '--arguments', '--approve');
  belongs(reason !== undefined, flags.refuse, '--reason', '--refuse');
  belongs(content !== undefined, flags.accept, '--content', '--accept');
  if (scope === 'conversation' && flags.refuse === true) {
    throw wrong('A call is refused once or always.', 'Take --scope once, or --scope always for never.');
  }
  return found[0] ?? null;
}

function belongs(isThere: boolean, other: boolean | undefined, flag: string, to: string): void {
  if (isThere && other !== true) throw wrong(`${flag} belongs to ${to}.`, `Give ${to} as well.`);
}

function wrong(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_request', message, hint });
}
