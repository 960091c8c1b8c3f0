import type { JsonObject, JsonValue } from '@toolyard/protocol';

/**
 * How a scripted MCP server behaves. Plain JSON, so that it can be handed to a child process. Without any field it is
 * a well-behaved server of the legacy era with no tools.
 */
export type McpBehaviour = {
  serverInfo?: { name: string; version: string; title?: string };
  instructions?: string;
  /** What it declares beside its tools. */
  capabilities?: JsonObject;
  /** The wires it understands: `initialize` (the default), the stateless one of 2026-07-28, or both. */
  era?: 'legacy' | 'modern' | 'both';
  /** Overrides what `initialize` answers as protocol version; by default the version asked for. */
  protocolVersion?: string;
  tools?: ScriptedTool[];
  /** Put into the tool list behind `tools` just as they are, malformed or not. */
  rawTools?: JsonValue[];
  /**
   * Pages of a fixed size (with `circle` the last names the first as the next), pages without end, or a cursor that
   * leads back to the same page. Default one page.
   */
  pages?: { size: number; circle?: boolean } | 'endless' | 'looping';
  /** Methods that are never answered, such as `initialize`. */
  silentOn?: string[];
  /** Whole answers to methods, in place of its own: `{ result }` or `{ error }`. Nothing is added to them. */
  answers?: { [method: string]: JsonObject };
  /** HTTP only: responses to methods, in place of any answer; `*` is for every request, POST or not. */
  httpAnswers?: { [method: string]: HttpAnswer };
  /** What it does with a method it does not know: an error (the default), nothing, or exit. */
  onUnknownMethod?: 'error' | 'silence' | 'exit';
  /** stdio only: lines on stdout before anything else, text on stderr, and an exit at once. */
  atStart?: { stdout?: string[]; stderr?: string; exitCode?: number };
  /** stdio only: before anything is answered, so many bytes on stdout without the end of a line. */
  endlessLine?: { bytes: number };
  /** stdio only: lines on stdout before each message. */
  noise?: string[];
  /** stdio only: SIGTERM, SIGINT, SIGHUP and the end of stdin change nothing; only SIGKILL ends it. */
  stubborn?: boolean;
  /**
   * stdio only: before anything is answered it starts a process of its own, which has the same stdout and stderr,
   * ignores SIGTERM and outlives the server; `'detached'`: in a session of its own, with none of its descriptors.
   */
  stubbornChild?: boolean | 'detached';
};

/** A response as it goes out, or the connection cut in place of one. */
export type HttpAnswer = { status: number; headers?: { [name: string]: string }; body?: string | Uint8Array } | 'cut';

/** A tool and what it does when called. Fields beyond these go into its definition as they are. */
export type ScriptedTool = {
  name: string;
  /** Carried out in order, until one answers. If none does, the answer is the text `done`, or the count. */
  does?: ToolAction[];
  /** `{ type: 'object' }` if left out. */
  inputSchema?: JsonObject;
  title?: string;
  description?: string;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
};

export type ToolAction =
  /** Answers with this result as it is. */
  | { do: 'result'; result: JsonObject }
  | { do: 'text'; text: string }
  /** Answers with its arguments, as JSON. */
  | { do: 'echo' }
  /** Answers with a result that has `isError`. */
  | { do: 'fail'; text: string }
  /** Answers with a JSON-RPC error. */
  | { do: 'error'; code: number; message: string }
  /** Answers with so many bytes of text. */
  | { do: 'huge'; bytes: number }
  /**
   * Modern era: asks for input in place of an answer, until it gets this state back; without a state, until it gets
   * any responses. `always` is never content.
   */
  | { do: 'ask'; inputRequests?: JsonObject; requestState?: string; always?: boolean }
  /** Answers with the arguments, `inputResponses` and `requestState` it was called with, as JSON. */
  | { do: 'echo_input' }
  /**
   * Legacy era: asks the client in the middle of the call, and waits for the answer, or takes the question back once
   * this file is there.
   */
  | { do: 'request'; method: string; params?: JsonObject; withdrawAtFile?: string }
  /** Answers with what the client answered to the requests of this call, as JSON. */
  | { do: 'tell_answers' }
  /** Never answers. */
  | { do: 'never' }
  /** Ends the server without an answer: the process, or over HTTP every connection and the port. */
  | { do: 'exit'; code?: number; stderr?: string }
  /** Adds one byte to the count file: its size tells how often the tool ran, whatever happened afterwards. */
  | { do: 'count' }
  | { do: 'wait'; ms: number }
  /** Waits until so many calls are here at the same time; calls that come later pass. */
  | { do: 'barrier'; calls: number }
  /** Waits until this file is there. */
  | { do: 'wait_for_file'; file: string }
  /** Reports progress so many times (if the caller asked for it), so many milliseconds apart. */
  | { do: 'progress'; steps: number; everyMs: number }
  /** Exchanges the tools and says `tools/list_changed`. */
  | { do: 'set_tools'; tools: ScriptedTool[] }
  /** stdio only: writes a line to stdout that is no message. */
  | { do: 'noise'; line: string };

/** Names the file the tools count in; see {@link ToolAction} `count`. */
export const COUNT_FILE_VARIABLE = 'SCRIPTED_MCP_COUNT_FILE';

/** Names a file that gets every message the server receives, one a line. */
export const LOG_FILE_VARIABLE = 'SCRIPTED_MCP_LOG_FILE';

const echo: ScriptedTool = { name: 'echo', description: 'Gives its arguments back.', does: [{ do: 'echo' }] };

/** The behaviours by name. Each has the tool `echo`, unless that is what goes wrong. */
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
export function behaviourOf(behaviour: McpBehaviourName | McpBehaviour): McpBehaviour {
  return typeof behaviour === 'string' ? MCP_BEHAVIOURS[behaviour] : behaviour;
}
