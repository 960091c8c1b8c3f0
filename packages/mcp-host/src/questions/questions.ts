import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  Root,
} from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject, ToolReference } from '@toolyard/protocol';
import { isJsonObject, readForm, ToolyardError } from '@toolyard/protocol';
import { checkArguments } from '../calls/check-arguments.ts';
import { readUrl } from '../values/read-url.ts';

/** Who asks, and while what. */
export type Question = {
  serverId: string;
  /** The call in the middle of which it is asked, where that is known. */
  tool?: ToolReference;
  /**
   * Set where the server did not say which of several calls it asks for: their conversations, of one principal. It is
   * put to each of them, and the first answer counts.
   */
  mayBelongTo?: readonly string[];
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
};

export type SamplingRequest = CreateMessageRequestParams;
export type SamplingAnswer = CreateMessageResult | CreateMessageResultWithTools;

/**
 * What the person filled in (`accept`), that they will not (`decline`), or that they shut the question (`cancel`).
 * `asIs`: they saw the defaults, and what they left out is to stay out.
 */
export type FormAnswer = { action: 'accept'; content: JsonObject; asIs?: true } | { action: 'decline' | 'cancel' };

export type UrlQuestion = Question & {
  /** Resolves when the server says that what happens at the address is done; never, if it does not. */
  completed: Promise<void>;
};

/**
 * What servers may ask, and who answers. Only what has a handler is declared to servers; whatever else they ask is
 * refused. All they send is untrusted: whoever shows it says which server asks.
 */
export type QuestionHandlers = {
  /** A turn of a model, with the tools the server brings along. */
  sampling?: (request: SamplingRequest, question: Question) => Promise<SamplingAnswer>;
  /** A form, whose schema is flat. The answer is completed with the schema's defaults and checked against it. */
  form?: (request: ElicitRequestFormParams, question: Question) => Promise<FormAnswer>;
  /** An address a person should open, `https:` or on this machine; it is never fetched. */
  url?: (request: ElicitRequestURLParams, question: UrlQuestion) => Promise<'accept' | 'decline' | 'cancel'>;
  /** The folders servers may work in, as `file:` addresses. */
  roots?: (question: Question) => Root[] | Promise<Root[]>;
};

/** What a server asks a person, looked over. */
export type AskedQuestion =
  | { kind: 'form'; message: string; requestedSchema: JsonObject }
  | { kind: 'url'; message: string; url: string }
  | { kind: 'sampling'; request: JsonObject };

export function capabilitiesOf(handlers: QuestionHandlers): ClientCapabilities {
  const { sampling, form, url, roots } = handlers;
  const elicitation = { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) };
  return {
    ...(sampling ? { sampling: { tools: {} } } : {}),
    ...(form || url ? { elicitation } : {}),
    ...(roots ? { roots: { listChanged: true } } : {}),
  };
}

const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL = -32_603;
/** What the protocol has for "the person said no". */
const REFUSED = -1;

/**
 * Puts a question to its handler.
 *
 * @returns the result, as the protocol has it
 * @throws ProtocolError, polite and without a word of what went wrong inside
 */
export async function answerQuestion(
  handlers: QuestionHandlers,
  asked: { method: string; params: JsonObject },
  question: Question,
  completed: (elicitationId: string) => Promise<void>,
): Promise<JsonObject> {
  const { method, params } = asked;
  try {
    switch (method) {
      case 'sampling/createMessage':
        if (handlers.sampling === undefined) break;
        return (await handlers.sampling(readSampling(params), question)) as unknown as JsonObject;
      case 'elicitation/create':
        if (params['mode'] === 'url') {
          if (handlers.url === undefined) break;
          const request = readUrlRequest(params);
          const done = completed(request.elicitationId ?? '');
          return { action: await handlers.url(request, { ...question, completed: done }) };
        }
        if (handlers.form === undefined) break;
        return await askForm(handlers.form, params, question);
      case 'roots/list':
        if (handlers.roots === undefined) break;
        return { roots: (await handlers.roots(question)) as unknown as JsonObject[] };
    }
  } catch (thrown) {
    throw toProtocolError(thrown);
  }
  throw new ProtocolError(METHOD_NOT_FOUND, `This client does not answer ${method.slice(0, 100)}.`);
}

/**
 * Looks a question over without putting it to anybody. Null where it is none for a person.
 *
 * @throws ProtocolError where nobody may be asked that
 */
export function readQuestion(
  { method, params }: { method: string; params: JsonObject },
  handlers: QuestionHandlers,
): AskedQuestion | null {
  switch (method) {
    case 'sampling/createMessage':
      if (handlers.sampling === undefined) return null;
      readSampling(params);
      return { kind: 'sampling', request: params };
    case 'elicitation/create': {
      const message = typeof params['message'] === 'string' ? params['message'] : '';
      if (params['mode'] === 'url') {
        if (handlers.url === undefined) return null;
        const { url } = readUrlRequest(params);
        return { kind: 'url', message, url };
      }
      if (handlers.form === undefined) return null;
      const { schema } = readFormRequest(params);
      return { kind: 'form', message, requestedSchema: schema };
    }
    default:
      return null;
  }
}

function readSampling(params: JsonObject): SamplingRequest {
  if (!Array.isArray(params['messages']) || typeof params['maxTokens'] !== 'number') {
    throw new ProtocolError(INVALID_PARAMS, 'A sampling request needs messages and maxTokens.');
  }
  return params as unknown as SamplingRequest;
}

/** Only what a person can judge and a browser opens: attack 2 is a `javascript:` address. */
function readUrlRequest(params: JsonObject): ElicitRequestURLParams {
  const url = typeof params['url'] === 'string' ? readUrl(params['url']) : null;
  const isLocal = url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) {
    throw new ProtocolError(INVALID_PARAMS, 'The address to open must be an https address.');
  }
  // What stands before the @ looks like the name of the page and is not.
  if (url.username !== '' || url.password !== '') {
    throw new ProtocolError(INVALID_PARAMS, 'The address to open must not name a user.');
  }
  return params as unknown as ElicitRequestURLParams;
}

async function askForm(
  ask: NonNullable<QuestionHandlers['form']>,
  params: JsonObject,
  question: Question,
): Promise<JsonObject> {
  const { request, schema } = readFormRequest(params);
  const answer = await ask(request, question);
  if (answer.action !== 'accept') return { action: answer.action };
  const content = answer.asIs ? answer.content : { ...defaultsOf(schema), ...answer.content };
  const fault = checkArguments(schema, content);
  if (fault !== null) throw new ProtocolError(INTERNAL, `What was filled in does not fit the form: ${fault}`);
  return { action: 'accept', content };
}

/** What cannot be shown to a person is not asked. */
function readFormRequest(params: JsonObject): { request: ElicitRequestFormParams; schema: JsonObject } {
  const schema = params['requestedSchema'];
  if (typeof params['message'] !== 'string' || !isJsonObject(schema)) {
    throw new ProtocolError(INVALID_PARAMS, 'A form needs a message and a requestedSchema.');
  }
  const form = readForm(schema);
  if ('problem' in form) throw new ProtocolError(INVALID_PARAMS, `The form cannot be shown: ${form.problem}.`);
  return { request: params as unknown as ElicitRequestFormParams, schema };
}

function defaultsOf(schema: JsonObject): JsonObject {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      isJsonObject(field) && field['default'] !== undefined ? [[name, field['default']]] : [],
    ),
  );
}

function toProtocolError(thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  if (ToolyardError.isInstance(thrown)) {
    const isNo = thrown.code === 'refused' || thrown.code === 'tool_refused' || thrown.code === 'cancelled';
    return new ProtocolError(isNo ? REFUSED : INTERNAL, thrown.message);
  }
  return new ProtocolError(INTERNAL, 'The question could not be answered.');
}
