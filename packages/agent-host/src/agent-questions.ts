import type {
  ElicitationAnswer,
  FormInterrupt,
  InterruptAnswer,
  SamplingDecision,
  SamplingInterrupt,
  UrlInterrupt,
} from '@toolyard/protocol';
import { checkForm, defined, formFaultText, readForm, ToolyardError } from '@toolyard/protocol';
import type { QuestionHandlers } from '@toolyard/mcp-host';
import type { AskQuestion, QuestionMode } from './run-host.ts';

type Asking<Asked, Answer> = (asked: Asked, options: { signal: AbortSignal }) => Promise<Answer>;

/**
 * Who answers what servers ask in the middle of a call, one question after the other. Servers are told only of what is
 * here, and refused politely whatever else they ask. All they send is untrusted.
 */
export type AgentQuestions = {
  /** A form to be filled in; its fields are what `readForm` reads of the schema. */
  form?: Asking<FormInterrupt, ElicitationAnswer>;
  /** An address the person may open, once they have seen it. */
  url?: Asking<UrlInterrupt, ElicitationAnswer>;
  /** May the agent's own model be asked this? It is, where the answer is `allow`. */
  sampling?: Asking<SamplingInterrupt, SamplingDecision>;
  /** The folders servers may work in, as `file:` addresses. */
  roots?: NonNullable<QuestionHandlers['roots']>;
};

/** What servers are told of; while no call of theirs is open, nobody is asked. */
export function declareHandlers({ form, url, sampling, roots }: AgentQuestions): QuestionHandlers {
  return {
    ...(form ? { form: () => Promise.resolve({ action: 'cancel' }) } : {}),
    ...(url ? { url: () => Promise.resolve('cancel') } : {}),
    ...(sampling ? { sampling: () => Promise.reject(nobody()) } : {}),
    ...defined({ roots }),
  };
}

/** Puts the questions of a run to the person, in the order they come. */
export function createQuestioning(questions: AgentQuestions): QuestionMode {
  let last: Promise<unknown> = Promise.resolve();
  const ask: AskQuestion = (asked, { signal }) => {
    const answer = last.then(() => (signal.aborted ? Promise.reject(nobody()) : put(questions, asked, signal)));
    last = Promise.race([answer, aborted(signal)]).catch(() => undefined);
    return answer;
  };
  return { who: 'person', ask };
}

function put(
  questions: AgentQuestions,
  asked: Parameters<AskQuestion>[0],
  signal: AbortSignal,
): Promise<InterruptAnswer> {
  if (asked.kind === 'sampling') return questions.sampling?.(asked, { signal }) ?? Promise.reject(nobody());
  if (asked.mode === 'url') return questions.url?.(asked, { signal }) ?? Promise.reject(nobody());
  return questions.form?.(asked, { signal }).then((answer) => fitting(asked, answer)) ?? Promise.reject(nobody());
}

/** What a program filled in is held against the form as what a person fills in is. */
function fitting({ requestedSchema }: FormInterrupt, answer: ElicitationAnswer): ElicitationAnswer {
  if (answer.decision !== 'accept') return answer;
  const form = readForm(requestedSchema);
  const [fault] = 'fields' in form ? checkForm(form.fields, answer.content ?? {}) : [];
  if (!fault) return answer;
  throw new ToolyardError({ code: 'bad_request', message: `What was filled in does not fit: ${formFaultText(fault)}` });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function nobody(): ToolyardError {
  return new ToolyardError({ code: 'refused', message: 'Nobody can be asked that.' });
}
