import type { RequestOptions as SdkOptions } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue, ToolReference } from '@toolyard/protocol';
import { defined, isJsonObject, pause, ToolyardError } from '@toolyard/protocol';
import { readProgress } from './progress.ts';
import { anyResult, rawOf } from '../transports/raw-result-transport.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import type { CallToolOptions, InputRound } from '../types.ts';
import type { ServerInputRequest, OpenRequest, RequestContext } from './track-request.ts';
import { beginRequest, untilAborted } from './track-request.ts';

/** Progress renews the time-out, but not for ever: so much in all, or ten times the time-out if that is more. */
const LONGEST_MS = 60 * 60 * 1_000;

/** Time is kept here: the SDK's own timer cannot stand still while a person is asked. */
const NEVER = 2 ** 31 - 1;

const MOST_ROUNDS = 10;
const LONGEST_STATE = 1_024 * 1_024;
/** Between two rounds in which nothing was asked: the server is only waiting. Milliseconds. */
const PACE_MS = 250;

/** The server waits for answers, which somebody else gets: nothing is under way any more. */
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
  /** Of a call. */
  tool?: ToolReference;
  /** The definition of a tool that wants arguments repeated as headers. */
  mirrored?: ListedTool | undefined;
};

/**
 * Sends one request and whatever further rounds the server wants (`input_required`): what it asks for goes to its
 * handlers, its `requestState` back as it came.
 *
 * @returns the result as the server sent it
 * @throws RequestStopped; ToolyardError for rounds without end; else what the SDK throws
 */
export async function sendRequest(context: RequestContext, request: OutgoingRequest): Promise<unknown> {
  const { client, relays } = context;
  const { method, options, timeoutMs, tool, mirrored } = request;
  const { onProgress, onRound, resume } = options;
  const totalMs = Math.max(LONGEST_MS, 10 * timeoutMs);
  const begun = beginRequest(context, { options, timeoutMs, totalMs, tool });
  const { entry } = begun;
  const sdkOptions: SdkOptions = {
    signal: entry.signal,
    timeout: NEVER,
    allowInputRequired: true,
    onprogress: (progress) => {
      entry.deadline.renew();
      onProgress?.(readProgress(progress, relays));
    },
  };
  try {
    let params = withAnswers(request.params, resume?.responses ?? {}, resume?.state);
    for (let round = resume?.number ?? 0; ; round++) {
      const sent =
        mirrored === undefined
          ? client.request({ method, params }, anyResult, sdkOptions)
          : client.callTool({ name: mirrored.name, ...params }, { ...sdkOptions, toolDefinition: headersOf(mirrored) });
      entry.requestId = context.lastRequestId();
      const result = await sent.catch((thrown: unknown) =>
        refusedUntilAnswered(context, request, entry, round, thrown),
      );
      // It was refused until somebody had been there: nothing has been carried out, and it may be asked again.
      if (result === AGAIN) continue;
      const wanted = inputWanted(result);
      if (wanted === undefined) return rawOf(result);
      if (round >= MOST_ROUNDS) throw endless(`it went on asking after ${MOST_ROUNDS} rounds`);
      const { state } = wanted;
      if (state !== undefined && state.length > LONGEST_STATE)
        throw endless('the state it wants kept is far too large');
      if (onRound !== undefined && wanted.requests.length > 0) {
        const handedOut = await readRound(context, { requests: wanted.requests, state, round, entry });
        if (handedOut.asked.length > 0) throw new RoundDelegated(handedOut);
        params = withAnswers(request.params, handedOut.answered, state);
        continue;
      }
      const inputResponses = await answerAll(context, wanted.requests, entry);
      entry.deadline.renew();
      params = withAnswers(request.params, inputResponses, state);
    }
  } catch (thrown) {
    throw begun.failure(thrown);
  } finally {
    begun.end();
  }
}

/** The SDK builds the headers from the definition; without an outputSchema it checks nothing. */
function headersOf({ name, inputSchema }: ListedTool) {
  return { name, inputSchema: { ...inputSchema, type: 'object' as const } };
}

/** Has the pages opened that a server wants opened before it carries out a request. @throws what was thrown else */
async function refusedUntilAnswered(
  context: RequestContext,
  { options: { onRound } }: OutgoingRequest,
  entry: OpenRequest,
  round: number,
  thrown: unknown,
): Promise<typeof AGAIN> {
  const pages = round < MOST_ROUNDS ? pagesWanted(thrown) : [];
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

/** Looks a round over for somebody who asks a person elsewhere; what needs no person is answered at once. */
async function readRound(
  context: RequestContext,
  of: { round: number; entry: OpenRequest } & (
    | { pages: readonly [string, ServerInputRequest][] }
    | { requests: readonly [string, ServerInputRequest][]; state: string | undefined }
  ),
): Promise<InputRound> {
  const { round, entry } = of;
  const listed = 'pages' in of ? of.pages : of.requests;
  const asked: InputRound['asked'] = [];
  const others: [string, ServerInputRequest][] = [];
  for (const [key, one] of listed) {
    const question = context.read(one, entry);
    if (question === null) others.push([key, one]);
    else asked.push({ key, question });
  }
  return {
    number: round + 1,
    asked,
    answered: others.length === 0 ? {} : await answerAll(context, others, entry),
    ...('pages' in of ? { refused: true as const } : of.state === undefined ? {} : { state: of.state }),
  };
}

const URL_ELICITATION_REQUIRED = -32_042;
const AGAIN = Symbol('again');

/** The addresses a server of 2025-11-25 wants a person to open before it carries out what was asked. */
function pagesWanted(thrown: unknown): [string, ServerInputRequest][] {
  if (!(thrown instanceof ProtocolError) || thrown.code !== URL_ELICITATION_REQUIRED) return [];
  const listed = isJsonObject(thrown.data) ? thrown.data['elicitations'] : undefined;
  return (Array.isArray(listed) ? listed : []).flatMap((params, at): [string, ServerInputRequest][] =>
    isJsonObject(params) ? [[String(at), { method: 'elicitation/create', params: { ...params, mode: 'url' } }]] : [],
  );
}

function inputWanted(
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

/** A question as a server puts it into a map of them. */
export function readInputRequest(one: JsonValue): ServerInputRequest {
  const method = isJsonObject(one) ? one['method'] : undefined;
  const params = isJsonObject(one) ? one['params'] : undefined;
  return { method: typeof method === 'string' ? method : '', params: isJsonObject(params) ? params : {} };
}

/** All that is asked for in one round, at the same time: one that fails ends the request. */
export async function answerAll(
  context: RequestContext,
  requests: readonly [string, ServerInputRequest][],
  entry: OpenRequest,
): Promise<JsonObject> {
  if (requests.length === 0) {
    await pause(context.clock, PACE_MS, entry.signal);
    return {};
  }
  const resume = entry.deadline.suspend();
  try {
    const answers = requests.map(async ([key, asked]) => [key, await context.answer(asked, entry)] as const);
    return Object.fromEntries(await untilAborted(Promise.all(answers), entry.signal));
  } finally {
    resume();
  }
}

function endless(how: string): ToolyardError {
  return new ToolyardError({
    code: 'tool_failed',
    message: `The server asks for more input again and again: ${how}. It has not finished.`,
  });
}
