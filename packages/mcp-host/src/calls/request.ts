import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue, ToolReference } from '@toolyard/protocol';
import { defined, isJsonObject, pause, ToolyardError, say } from '@toolyard/protocol';
import { progressReporter } from './progress.ts';
import { anyResult, getRaw } from '../transports/raw-result-transport.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { CallToolOptions, InputRound } from '../types.ts';
import type { ServerInputRequest, OpenRequest, RequestContext } from './track-request.ts';
import { longestTotal, sdkOptions } from './sdk-options.ts';
import { beginRequest, untilAborted } from './track-request.ts';

const MAX_ROUNDS = 10;
const MAX_STATE_LENGTH = 1_024 * 1_024;
/** Pause between two rounds without input requests (the server is only waiting), in milliseconds. */
const POLL_PAUSE_MS = 250;

/** Thrown when the server needs input that the caller collects elsewhere; the request is no longer open. */
export class RoundDelegated extends Error {
  readonly round: InputRound;

  constructor(round: InputRound) {
    super('The server asks for more input.');
    this.round = round;
  }
}

export type OutgoingRequest = {
  method:
    | 'tools/call'
    | 'resources/read'
    | 'prompts/get'
    | 'completion/complete'
    | 'resources/subscribe'
    | 'resources/unsubscribe'
    | 'logging/setLevel';
  params: JsonObject;
  options: CallToolOptions;
  timeoutMs: number;
  /** Set for tool calls. */
  tool?: ToolReference;
  /** The definition of a tool that wants arguments mirrored as headers. */
  mirrored?: ListedTool | undefined;
};

/**
 * Sends one request and any further rounds the server asks for (`input_required`): its input requests go to the
 * handlers, its `requestState` is returned unchanged.
 *
 * @returns the result as the server sent it
 * @throws RequestStopped; ToolyardError if the rounds do not end; otherwise what the SDK throws
 */
export async function sendRequest(context: RequestContext, request: OutgoingRequest): Promise<unknown> {
  const { client } = context;
  const { method, options, timeoutMs, tool, mirrored } = request;
  const { onProgress, onRound, resume } = options;
  const report = onProgress && progressReporter(onProgress, context);
  const totalMs = longestTotal(timeoutMs);
  const started = beginRequest(context, { options, timeoutMs, totalMs, tool });
  const { entry } = started;
  const ofSdk = sdkOptions(entry, report);
  try {
    let params = withAnswers(request.params, resume?.responses ?? {}, resume?.state);
    for (let round = resume?.number ?? 0; ; round++) {
      const sent =
        mirrored === undefined
          ? client.request({ method, params }, anyResult, ofSdk)
          : client.callTool({ name: mirrored.name, ...params }, { ...ofSdk, toolDefinition: toSdkTool(mirrored) });
      entry.requestId = context.lastRequestId();
      const result = await sent.catch((thrown: unknown) => visitRequiredUrls(context, request, entry, round, thrown));
      // The server rejected the request until the URLs were visited: nothing was executed, so it is sent again.
      if (result === AGAIN) continue;
      const required = inputRequired(result);
      if (required === undefined) return getRaw(result);
      if (round >= MAX_ROUNDS) throw createEndlessRoundsError(`it still asked after ${MAX_ROUNDS} rounds`);
      const { state } = required;
      if (state !== undefined && state.length > MAX_STATE_LENGTH)
        throw createEndlessRoundsError(`its requestState is longer than ${MAX_STATE_LENGTH} characters`);
      if (onRound !== undefined && required.requests.length > 0) {
        const handedOut = await readRound(context, { requests: required.requests, state, round, entry });
        if (handedOut.asked.length > 0) throw new RoundDelegated(handedOut);
        params = withAnswers(request.params, handedOut.answered, state);
        continue;
      }
      const inputResponses = await answerAll(context, required.requests, entry);
      entry.deadline.renew();
      params = withAnswers(request.params, inputResponses, state);
    }
  } catch (thrown) {
    throw started.failure(thrown);
  } finally {
    started.end();
  }
}

/** The SDK builds the headers from the definition; without an outputSchema it validates nothing. */
function toSdkTool({ name, inputSchema }: ListedTool) {
  return { name, inputSchema: { ...inputSchema, type: 'object' as const } };
}

/**
 * Asks the user to visit the URLs that a server requires before it executes a request. @throws the original error if no
 * URL is required, or one was declined
 */
async function visitRequiredUrls(
  context: RequestContext,
  { options: { onRound } }: OutgoingRequest,
  entry: OpenRequest,
  round: number,
  thrown: unknown,
): Promise<typeof AGAIN> {
  const pages = round < MAX_ROUNDS ? requiredUrls(thrown) : [];
  if (pages.length === 0) throw thrown;
  if (onRound !== undefined) throw new RoundDelegated(await readRound(context, { pages, round, entry }));
  const answers = await answerAll(context, pages, entry);
  if (Object.values(answers).some((answer) => !isJsonObject(answer) || answer['action'] !== 'accept')) throw thrown;
  return AGAIN;
}

function withAnswers(params: JsonObject, inputResponses: JsonObject, state: string | undefined): JsonObject {
  return {
    ...params,
    ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
    ...defined({ requestState: state }),
  };
}

/** Reads a round for a caller that asks its user elsewhere; requests that need no user are answered here. */
async function readRound(
  context: RequestContext,
  of: { round: number; entry: OpenRequest } & (
    | { pages: readonly [string, ServerInputRequest][] }
    | { requests: readonly [string, ServerInputRequest][]; state: string | undefined }
  ),
): Promise<InputRound> {
  const { round, entry } = of;
  const listed = 'pages' in of ? of.pages : of.requests;
  context.checkRound(listed.length);
  const asked: InputRound['asked'] = [];
  const answerable: [string, ServerInputRequest][] = [];
  for (const [key, one] of listed) {
    const request = context.read(one, entry);
    if (request === null) answerable.push([key, one]);
    else asked.push({ key, question: request });
  }
  return {
    number: round + 1,
    asked,
    answered: answerable.length === 0 ? {} : await answerAll(context, answerable, entry),
    ...('pages' in of ? { refused: true as const } : of.state === undefined ? {} : { state: of.state }),
  };
}

const URL_ELICITATION_REQUIRED = -32_042;
const AGAIN = Symbol('again');

/** The URLs a server of 2025-11-25 requires the user to visit before it executes the request. */
function requiredUrls(thrown: unknown): [string, ServerInputRequest][] {
  if (!(thrown instanceof ProtocolError) || thrown.code !== URL_ELICITATION_REQUIRED) return [];
  const listed = isJsonObject(thrown.data) ? thrown.data['elicitations'] : undefined;
  return (Array.isArray(listed) ? listed : []).flatMap((params, at): [string, ServerInputRequest][] =>
    isJsonObject(params) ? [[String(at), { method: 'elicitation/create', params: { ...params, mode: 'url' } }]] : [],
  );
}

function inputRequired(
  result: unknown,
): { requests: [string, ServerInputRequest][]; state: string | undefined } | undefined {
  if (!isJsonObject(result) || result['resultType'] !== 'input_required') return undefined;
  const asked = result['inputRequests'];
  const state = result['requestState'];
  return {
    requests: Object.entries(isJsonObject(asked) ? asked : {}).map(([key, one]) => [key, readInputRequest(one)]),
    state: typeof state === 'string' ? state : undefined,
  };
}

/** Reads one entry of `inputRequests`. */
export function readInputRequest(one: JsonValue): ServerInputRequest {
  const method = isJsonObject(one) ? one['method'] : undefined;
  const params = isJsonObject(one) ? one['params'] : undefined;
  return { method: typeof method === 'string' ? method : '', params: isJsonObject(params) ? params : {} };
}

/** Answers all requests of one round in parallel; one failure fails the request. */
export async function answerAll(
  context: RequestContext,
  requests: readonly [string, ServerInputRequest][],
  entry: OpenRequest,
): Promise<JsonObject> {
  if (requests.length === 0) {
    await pause(context.clock, POLL_PAUSE_MS, entry.signal);
    return {};
  }
  context.checkRound(requests.length);
  const resume = entry.deadline.suspend();
  try {
    const answers = requests.map(async ([key, asked]) => [key, await context.answer(asked, entry)] as const);
    return Object.fromEntries(await untilAborted(Promise.all(answers), entry.signal));
  } finally {
    resume();
  }
}

function createEndlessRoundsError(how: string): ToolyardError {
  return new ToolyardError({
    code: 'tool_failed',
    message: say`The server keeps asking for more input and does not finish: ${how}.`,
  });
}
