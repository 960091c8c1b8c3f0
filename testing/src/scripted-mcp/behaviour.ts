import type { JsonObject, JsonValue } from '@toolyard/protocol';

/**
 * The behaviour of a scripted MCP server, in plain JSON for a child process. Without any field it is a conforming
 * server of the legacy era without tools.
 */
export type McpBehaviour = {
  serverInfo?: { name: string; version: string; title?: string; icons?: { src: string; mimeType?: string }[] };
  instructions?: string;
  /** Its capabilities other than tools. */
  capabilities?: JsonObject;
  /** The eras it supports: `initialize` (default), the stateless one of 2026-07-28, or both. */
  era?: 'legacy' | 'modern' | 'both';
  /** Overrides the protocol version that `initialize` returns; default: the requested one. */
  protocolVersion?: string;
  tools?: ScriptedTool[];
  /** Added to the tool list after `tools`, unchanged, valid or not. */
  rawTools?: JsonValue[];
  /**
   * Pages of a fixed size (with `circle` the last one names the first as the next), endless pages, or a cursor that
   * leads back to the same page. Default: one page.
   */
  pages?: { size: number; circle?: boolean } | 'endless' | 'looping';
  /** Methods that are never answered, such as `initialize`. */
  silentOn?: string[];
  /** Raw answers by method: `{ result }` or `{ error }`, sent unchanged. */
  answers?: { [method: string]: JsonObject };
  /** HTTP only: raw responses by method; `*` matches every request, POST or not. */
  httpAnswers?: { [method: string]: HttpAnswer };
  /** The reaction to an unknown method: an error (default), nothing, or exit. */
  onUnknownMethod?: 'error' | 'silence' | 'exit';
  /** stdio only: lines on stdout before anything else, text on stderr, and an immediate exit. */
  atStart?: { stdout?: string[]; stderr?: string; exitCode?: number };
  /** stdio only: this many bytes on stdout without a line ending, before any answer. */
  endlessLine?: { bytes: number };
  /** stdio only: lines on stdout before each message. */
  noise?: string[];
  /** stdio only: ignores SIGTERM, SIGINT, SIGHUP and the end of stdin; only SIGKILL ends it. */
  stubborn?: boolean;
  /**
   * stdio only: starts a child process before any answer, which shares stdout and stderr, ignores SIGTERM and outlives
   * the server; `'detached'`: in another session, without its descriptors.
   */
  stubbornChild?: boolean | 'detached';
};

/** A raw response, or a dropped connection. */
export type HttpAnswer = { status: number; headers?: { [name: string]: string }; body?: string | Uint8Array } | 'cut';

/** A tool and what it does when called. Other fields are copied into its definition. */
export type ScriptedTool = {
  name: string;
  /** Executed in order until one answers. If none does, the answer is the text `done`, or the count. */
  does?: ToolAction[];
  /** Default `{ type: 'object' }`. */
  inputSchema?: JsonObject;
  title?: string;
  description?: string;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
  _meta?: JsonObject;
};

export type ToolAction =
  /** Answers with this result, unchanged. */
  | { do: 'result'; result: JsonObject }
  | { do: 'text'; text: string }
  /** Answers with its arguments, as JSON. */
  | { do: 'echo' }
  /** Answers with a result that has `isError`. */
  | { do: 'fail'; text: string }
  /** Answers with a JSON-RPC error. */
  | { do: 'error'; code: number; message: string }
  /** Answers with this many bytes of text. */
  | { do: 'huge'; bytes: number }
  /**
   * Modern era: answers `input_required` until it gets this state back; without a state, until it gets any responses.
   * `always` never accepts.
   */
  | { do: 'ask'; inputRequests?: JsonObject; requestState?: string; always?: boolean }
  /** Answers with the arguments, `inputResponses` and `requestState` it was called with, as JSON. */
  | { do: 'echo_input' }
  /**
   * Legacy era: sends a request to the client during the call and waits for the answer, or withdraws the request once
   * this file exists.
   */
  | { do: 'request'; method: string; params?: JsonObject; withdrawAtFile?: string }
  /** Answers with the client's answers to the requests of this call, as JSON. */
  | { do: 'tell_answers' }
  /** Never answers. */
  | { do: 'never' }
  /** Stops the server without an answer: the process, or over HTTP every connection and the port. */
  | { do: 'exit'; code?: number; stderr?: string }
  /** Adds one byte to the count file: its size is the number of executions, whatever happens afterwards. */
  | { do: 'count' }
  | { do: 'wait'; ms: number }
  /** Waits until this many calls are in flight; later calls do not wait. */
  | { do: 'barrier'; calls: number }
  /** Waits until this file exists. */
  | { do: 'wait_for_file'; file: string }
  /** Reports progress this many times (if requested), this many milliseconds apart. */
  | { do: 'progress'; steps: number; everyMs: number }
  /** Replaces the tools and sends `tools/list_changed`. */
  | { do: 'set_tools'; tools: ScriptedTool[] }
  /** stdio only: writes a line to stdout that is not a message. */
  | { do: 'noise'; line: string };

/** Names the file in which tools count; see {@link ToolAction} `count`. */
export const COUNT_FILE_VARIABLE = 'SCRIPTED_MCP_COUNT_FILE';

/** Names a file to which every received message is appended, one per line. */
export const LOG_FILE_VARIABLE = 'SCRIPTED_MCP_LOG_FILE';

const echo: ScriptedTool = { name: 'echo', description: 'Gives its arguments back.', does: [{ do: 'echo' }] };

/** The behaviours by name. Each has the tool `echo`, unless that is the fault. */
export const MCP_BEHAVIOURS = {
  plain: { tools: [echo] },
  'stdout-noise': {
    tools: [
      echo,
      {
        name: 'noisy',
        does: [
          { do: 'noise', line: 'calling noisy()' },
          { do: 'text', text: 'quiet' },
        ],
      },
    ],
    atStart: { stdout: ['Starting up...', '', '{"level":"info","msg":"ready"}'] },
    noise: ['[debug] about to write', 'null', '{ not json'],
  },
  'exit-at-start': { atStart: { stderr: 'fatal: no configuration found\n', exitCode: 3 } },
  'exit-in-call': { tools: [echo, { name: 'crash', does: [{ do: 'exit', code: 7, stderr: 'fatal: out of luck\n' }] }] },
  'never-answers': { tools: [echo, { name: 'hang', does: [{ do: 'never' }] }] },
  'slow-with-progress': { tools: [echo, { name: 'slow', does: [{ do: 'progress', steps: 5, everyMs: 40 }] }] },
  stubborn: { tools: [echo], stubborn: true },
  'stubborn-child': { tools: [echo, { name: 'crash', does: [{ do: 'exit', code: 7 }] }], stubbornChild: true },
  'detached-child': { tools: [echo], stubbornChild: 'detached' },
  'endless-pagination': { tools: [echo], pages: 'endless' },
  'looping-pagination': { tools: [echo], pages: 'looping' },
  'circular-pagination': { tools: [echo, { name: 'second' }, { name: 'third' }], pages: { size: 1, circle: true } },
  'malformed-tool': {
    tools: [echo],
    rawTools: [
      { name: 'no-schema' },
      { name: 'wrong-schema', inputSchema: { type: 'array' } },
      { name: 'text-schema', inputSchema: 'object' },
      { description: 'has no name', inputSchema: { type: 'object' } },
      'not even an object',
      null,
      { name: 'good-after-bad', inputSchema: { type: 'object' } },
    ],
  },
  'duplicate-names': {
    tools: [
      { name: 'twin', does: [{ do: 'text', text: 'first' }] },
      { name: 'twin', does: [{ do: 'text', text: 'second' }] },
      echo,
    ],
  },
  'unknown-content': {
    tools: [
      echo,
      {
        name: 'hologram',
        does: [
          {
            do: 'result',
            result: {
              content: [
                { type: 'text', text: 'before' },
                { type: 'hologram', beams: 3 },
                { type: 'text', text: 'after' },
              ],
            },
          },
        ],
      },
    ],
  },
  'huge-result': { tools: [echo, { name: 'huge', does: [{ do: 'huge', bytes: 5_000_000 }] }] },
  'tool-error': { tools: [echo, { name: 'fail', does: [{ do: 'fail', text: 'the disk is full' }] }] },
  'tools-list-changed': {
    tools: [
      echo,
      { name: 'grow', does: [{ do: 'set_tools', tools: [echo, { name: 'grown', does: [{ do: 'echo' }] }] }] },
    ],
  },
  counting: {
    tools: [
      echo,
      { name: 'count', does: [{ do: 'count' }] },
      { name: 'count-then-exit', does: [{ do: 'count' }, { do: 'exit', code: 9 }] },
      { name: 'count-then-hang', does: [{ do: 'count' }, { do: 'never' }] },
    ],
  },
  'hang-in-initialize': { tools: [echo], silentOn: ['initialize', 'server/discover'] },
  'exit-on-unknown-method': { tools: [echo], onUnknownMethod: 'exit' },
} as const satisfies Record<string, McpBehaviour>;

export type McpBehaviourName = keyof typeof MCP_BEHAVIOURS;

/** A behaviour by its name, or itself. */
export function getBehaviour(behaviour: McpBehaviourName | McpBehaviour): McpBehaviour {
  return typeof behaviour === 'string' ? MCP_BEHAVIOURS[behaviour] : behaviour;
}
