import type {
  ElicitationAnswer,
  FormInterrupt,
  InterruptAnswer,
  SamplingDecision,
  SamplingInterrupt,
  UrlInterrupt,
} from '@toolyard/protocol';
import { checkForm, defined, formFaultText, readForm, ToolyardError } from '@toolyard/protocol';
import type { ServerRequestHandlers } from '@toolyard/mcp-host';
import type { AskServerInterrupt, ServerInterruptMode } from './run-host.ts';

type Asking<Asked, Answer> = (asked: Asked, options: { signal: AbortSignal }) => Promise<Answer>;

/**
 * Handlers for requests of servers during a call, called one after another. Only capabilities with a
 * handler are declared to servers; other requests are declined. Everything that servers send is untrusted.
 */
export type InterruptHandlers = {
  /** A form; `readForm` parses the fields of its schema. */
  form?: Asking<FormInterrupt, ElicitationAnswer>;
  /** A URL for the user to open, after the user has seen it. */
  url?: Asking<UrlInterrupt, ElicitationAnswer>;
  /** Approves a request to the agent's own model; `allow` sends it. */
  sampling?: Asking<SamplingInterrupt, SamplingDecision>;
  /** The folders that servers may use, as `file:` URLs. */
  roots?: NonNullable<ServerRequestHandlers['roots']>;
};

/** Declares the capabilities to servers; requests outside a call are declined. */
export function declareHandlers({ form, url, sampling, roots }: InterruptHandlers): ServerRequestHandlers {
  return {
    ...(form ? { form: () => Promise.resolve({ action: 'cancel' }) } : {}),
    ...(url ? { url: () => Promise.resolve('cancel') } : {}),
    ...(sampling ? { sampling: () => Promise.reject(createNoHandlerError()) } : {}),
    ...defined({ roots }),
  };
}

/** Asks the user the interrupts of a run, one after another. */
export function createInterruptQueue(handlers: InterruptHandlers): ServerInterruptMode {
  let last: Promise<unknown> = Promise.resolve();
  const ask: AskServerInterrupt = (asked, { signal }) => {
    const answer = last.then(() =>
      signal.aborted ? Promise.reject(createNoHandlerError()) : askHandler(handlers, asked, signal),
    );
    last = Promise.race([answer, aborted(signal)]).catch(() => undefined);
    return answer;
  };
  return { mode: 'ask', ask };
}

function askHandler(
  handlers: InterruptHandlers,
  asked: Parameters<AskServerInterrupt>[0],
  signal: AbortSignal,
): Promise<InterruptAnswer> {
  if (asked.kind === 'sampling')
    return handlers.sampling?.(asked, { signal }) ?? Promise.reject(createNoHandlerError());
  if (asked.mode === 'url') return handlers.url?.(asked, { signal }) ?? Promise.reject(createNoHandlerError());
  return (
    handlers.form?.(asked, { signal }).then((answer) => checkedAnswer(asked, answer)) ??
    Promise.reject(createNoHandlerError())
  );
}

/** Validates a program's answer to a form like a user's answer. */
function checkedAnswer({ requestedSchema }: FormInterrupt, answer: ElicitationAnswer): ElicitationAnswer {
  if (answer.decision !== 'accept') return answer;
  const form = readForm(requestedSchema);
  const [fault] = 'fields' in form ? checkForm(form.fields, answer.content ?? {}) : [];
  if (!fault) return answer;
  throw new ToolyardError({
    code: 'bad_request',
    message: `The form is not filled in correctly: ${formFaultText(fault)}`,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function createNoHandlerError(): ToolyardError {
  return new ToolyardError({ code: 'refused', message: 'No handler is configured for this request.' });
}
