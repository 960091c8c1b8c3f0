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
import { APPS_CAPABILITY } from '../apps/app-extension.ts';
import { checkArguments } from '../calls/check-arguments.ts';
import { SERVER_LIMITS, sizeUpTo } from '../values/server-limits.ts';
import { faultOfUrlToOpen } from './url-to-open.ts';

/** The origin of a server's request. */
export type ServerRequestContext = {
  serverId: string;
  /** The call during which it was sent, if known. */
  tool?: ToolReference;
  /**
   * Set if the server did not name one of several calls in flight: their conversations, of one principal. The request
   * is shown in each of them, and the first answer counts.
   */
  mayBelongTo?: readonly string[];
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal;
};

/** A request of a server to the model of the user. */
export type SamplingRequest = CreateMessageRequestParams;
/** The answer to a sampling request: what the model wrote. */
export type SamplingAnswer = CreateMessageResult | CreateMessageResultWithTools;

/**
 * The user submitted the form (`accept`), declined (`decline`) or dismissed it (`cancel`). `asIs`: the user saw the
 * defaults, so missing fields stay missing.
 */
export type FormAnswer = { action: 'accept'; content: JsonObject; asIs?: true } | { action: 'decline' | 'cancel' };

/** The context of a request to open a URL. */
export type UrlRequestContext = ServerRequestContext & {
  /** Resolves when the server reports that the URL flow is complete; never if it does not report. */
  completed: Promise<void>;
};

/**
 * Handlers of server requests. Only a capability with a handler is declared; other requests are rejected. All content
 * is untrusted, so display the name of the server with it.
 */
export type ServerRequestHandlers = {
  /** A model response, with the tools the server provides. */
  sampling?: (request: SamplingRequest, context: ServerRequestContext) => Promise<SamplingAnswer>;
  /** A form with a flat schema. The answer is completed with the schema's defaults and validated. */
  form?: (request: ElicitRequestFormParams, context: ServerRequestContext) => Promise<FormAnswer>;
  /** A URL for the user to open, `https:` or on this machine; Toolyard never fetches it. */
  url?: (request: ElicitRequestURLParams, context: UrlRequestContext) => Promise<'accept' | 'decline' | 'cancel'>;
  /** The folders servers may work in, as `file:` URIs. */
  roots?: (context: ServerRequestContext) => Root[] | Promise<Root[]>;
  /** Declares that a page can show apps (`ui://` resources); apps send no requests through the host. */
  apps?: true;
};

/** A validated server request to a user. */
export type InputRequest =
  | { kind: 'form'; message: string; requestedSchema: JsonObject }
  | { kind: 'url'; message: string; url: string }
  | { kind: 'sampling'; request: JsonObject };

export function getCapabilities(handlers: ServerRequestHandlers): ClientCapabilities {
  const { sampling, form, url, roots, apps } = handlers;
  const elicitation = { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) };
  return {
    ...(sampling ? { sampling: { tools: {} } } : {}),
    ...(form || url ? { elicitation } : {}),
    ...(roots ? { roots: { listChanged: true } } : {}),
    ...(apps ? { extensions: APPS_CAPABILITY } : {}),
  };
}

const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL = -32_603;
/** JSON-RPC error code for a declined request. */
const DECLINED = -1;

/**
 * Passes a request to its handler.
 *
 * @returns the result in the form of the protocol
 * @throws ProtocolError without internal details
 */
export async function answerServerRequest(
  handlers: ServerRequestHandlers,
  asked: { method: string; params: JsonObject },
  context: ServerRequestContext,
  completed: (elicitationId: string) => Promise<void>,
): Promise<JsonObject> {
  const { method, params } = asked;
  try {
    switch (method) {
      case 'sampling/createMessage':
        if (handlers.sampling === undefined) break;
        return (await handlers.sampling(readSampling(params), context)) as unknown as JsonObject;
      case 'elicitation/create':
        if (params['mode'] === 'url') {
          if (handlers.url === undefined) break;
          const request = readUrlRequest(params);
          const done = completed(request.elicitationId ?? '');
          return { action: await handlers.url(request, { ...context, completed: done }) };
        }
        if (handlers.form === undefined) break;
        return await askForm(handlers.form, params, context);
      case 'roots/list':
        if (handlers.roots === undefined) break;
        return { roots: (await handlers.roots(context)) as unknown as JsonObject[] };
    }
  } catch (thrown) {
    throw toProtocolError(thrown);
  }
  throw new ProtocolError(METHOD_NOT_FOUND, `This client does not support ${method.slice(0, 100)}.`);
}

/**
 * Validates a request without showing it. Null if it needs no user.
 *
 * @throws ProtocolError if it must not be shown
 */
export function readServerRequest(
  { method, params }: { method: string; params: JsonObject },
  handlers: ServerRequestHandlers,
): InputRequest | null {
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
  // The bytes of media become files.
  checkSize(params, SERVER_LIMITS.sampling, 'data');
  return params as unknown as SamplingRequest;
}

function readUrlRequest(params: JsonObject): ElicitRequestURLParams {
  const fault = faultOfUrlToOpen(params['url']);
  if (fault !== null) throw new ProtocolError(INVALID_PARAMS, fault);
  checkSize(params, SERVER_LIMITS.form);
  return params as unknown as ElicitRequestURLParams;
}

async function askForm(
  ask: NonNullable<ServerRequestHandlers['form']>,
  params: JsonObject,
  context: ServerRequestContext,
): Promise<JsonObject> {
  const { request, schema } = readFormRequest(params);
  const answer = await ask(request, context);
  if (answer.action !== 'accept') return { action: answer.action };
  const content = answer.asIs ? answer.content : { ...readDefaults(schema), ...answer.content };
  const fault = checkArguments(schema, content);
  if (fault !== null) throw new ProtocolError(INTERNAL, `The submitted values do not match the form: ${fault}`);
  return { action: 'accept', content };
}

/** A form that cannot be displayed is rejected. */
function readFormRequest(params: JsonObject): { request: ElicitRequestFormParams; schema: JsonObject } {
  const schema = params['requestedSchema'];
  if (typeof params['message'] !== 'string' || !isJsonObject(schema)) {
    throw new ProtocolError(INVALID_PARAMS, 'A form requires a message and a requestedSchema.');
  }
  checkSize(params, SERVER_LIMITS.form);
  const form = readForm(schema);
  if ('problem' in form) throw new ProtocolError(INVALID_PARAMS, `The form cannot be displayed: ${form.problem}.`);
  return { request: params as unknown as ElicitRequestFormParams, schema };
}

/** @throws ProtocolError for a request that no user could read */
function checkSize(params: JsonObject, limit: number, but?: string): void {
  if (sizeUpTo(limit, params, but) <= limit) return;
  throw new ProtocolError(INVALID_PARAMS, `A request may have at most ${limit} characters.`);
}

function readDefaults(schema: JsonObject): JsonObject {
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
    const isDeclined = thrown.code === 'refused' || thrown.code === 'tool_refused' || thrown.code === 'cancelled';
    return new ProtocolError(isDeclined ? DECLINED : INTERNAL, thrown.message);
  }
  return new ProtocolError(INTERNAL, 'The request could not be answered.');
}
