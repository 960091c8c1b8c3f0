import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { DelegableTask } from '@toolyard/agent-runtime';
import type { IndexedTool, ToolProgress } from '@toolyard/mcp-host';
import { checkArguments } from '@toolyard/mcp-host';
import type {
  ElicitationAnswer,
  JsonObject,
  JsonValue,
  PromptAnswer,
  RunLimits,
  SelectionAnswer,
  Spent,
  ToolAnnotations,
  ToolContentPart,
  ToolResult,
  Usage,
} from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, say } from '@toolyard/protocol';
import type { GroupOfCall } from '../run-group.ts';
import type { SubAgentResult } from '../sub-agents.ts';
import type { FromJsonSchema, ObjectSchema } from './json-schema.ts';

/** What a function tool asks the user; it becomes an interrupt. `readForm` of `@toolyard/protocol` parses the schema of a form. */
export type UserInputRequest =
  | { kind: 'prompt'; question: string }
  | { kind: 'selection'; question: string; choices: readonly string[]; multiple?: boolean }
  | { kind: 'form'; message: string; schema: JsonObject };

/** The answer to a request; `decline` if the user does not want to answer. */
export type UserAnswer<Q extends UserInputRequest = UserInputRequest> = Q extends { kind: 'prompt' }
  ? PromptAnswer
  : Q extends { kind: 'selection' }
    ? SelectionAnswer
    : ElicitationAnswer;

/** Usage of the run so far, and its limits. */
export type RunBudget = { limits: RunLimits; turns: number; spent: Spent };

/** A model request that a tool made itself. */
export type ModelRequestOfTool = {
  providerId: string;
  modelId: string;
  /** Undefined if the provider reports none. */
  usage: Usage | undefined;
  /** In US dollars; undefined if the price is unknown. */
  cost: number | undefined;
  durationMs: number;
};

/** Accounts for the model requests that a tool makes itself, like those of the run. */
export type ToolModelRequests = {
  /** @throws ToolyardError `budget_exceeded` if a budget allows no further model request */
  check: () => Promise<void>;
  /** Counts a completed request. */
  add: (request: ModelRequestOfTool) => void;
};

/** The skills that a run can use. */
export type RunSkills = {
  /** Their list, as the model receives it. */
  list: string;
  /** The MCP servers whose skills are among them. */
  servers: readonly string[];
};

/** The context of a call. Outside a run only `signal`, `progress` and `ask` are set. */
export type ToolContext = {
  /** Aborted when the run is cancelled or reaches a limit. */
  signal: AbortSignal;
  progress: (progress: ToolProgress) => void;
  /** The owner of the run on a server; undefined if there is only one user. */
  user?: string;
  conversation?: string;
  run?: string;
  /** The run's id of this call: the same if the call is made again after a crash. */
  callId?: string;
  budget?: RunBudget;
  modelRequests?: ToolModelRequests;
  /** The folder that the user chose for the conversation, as an absolute path. */
  workspace?: string;
  /** The skills of the run. */
  skills?: RunSkills;
  /** The group of the run. */
  group?: GroupOfCall;
  /** The tools of the run; the same list as long as none changes. */
  tools?: readonly IndexedTool[];
  /**
   * Asks the user. The run parks until the answer arrives, possibly for days, and continues in any process: `execute`
   * then runs again from its beginning, and `ask()` returns the stored answers in the order of the requests. Code
   * before an `ask()` therefore runs once per request; it must be safe to repeat and must send the same requests
   * again. Put side effects after the last `ask()`.
   *
   * @throws ToolyardError `tool_refused` if no user can be asked; the model gets this error unless the tool catches it
   */
  ask: <Q extends UserInputRequest>(request: Q) => Promise<UserAnswer<Q>>;
  /**
   * Starts a sub-agent for each task and returns their results, in order, when all are over. As with `ask()`, the run
   * parks meanwhile and `execute` runs again from its beginning. Undefined outside a run.
   *
   * @throws ToolyardError `tool_refused` if the run has no sub-agents
   */
  delegate?: (tasks: readonly DelegableTask[]) => Promise<SubAgentResult[]>;
};

/**
 * What `execute` returns: text, content parts or a complete result; any other JSON value becomes the structured content
 * and its text. Returning nothing means success.
 */
export type ToolOutput = JsonValue | ToolContentPart[] | ToolResult | void;

/** A schema of the arguments, from any library that implements Standard Schema, or as JSON Schema. */
export type ArgumentsSchema = StandardSchemaV1 | ObjectSchema;

/** The arguments that `execute` receives. */
export type ArgumentsOf<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : FromJsonSchema<S>;

/** What {@link tool} creates a function tool from. */
export type ToolOptions<S extends ArgumentsSchema> = {
  /** At most 64 of `[A-Za-z0-9_-]`, unique within its group. */
  name: string;
  title?: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  inputSchema: S;
  /** The same schema as JSON Schema, for libraries without `~standard.jsonSchema`. */
  jsonSchema?: JsonObject;
  /** Read-only tools that are not open-world run without approval, and are repeated after a crash. */
  annotations?: ToolAnnotations;
  /** The tool asks the user and has no other effect: it needs no approval, whatever its arguments. */
  onlyAsks?: true;
  /**
   * The tool has no access to anything but its arguments (no files, network or processes) and no effect but its result
   * and what Toolyard stores of it. What its arguments say is then not dangerous, whatever it is: code for a sandbox may
   * contain any command as text.
   */
  isolated?: true;
  /** What a call would change, as lines that begin with `+`, `-` or a space; shown when a user is asked to approve it. */
  diff?: (args: ArgumentsOf<S>, ctx: Pick<ToolContext, 'workspace'>) => string | undefined;
  execute: (args: ArgumentsOf<S>, ctx: ToolContext) => ToolOutput | Promise<ToolOutput>;
};

/** A function of this process that models can call. Created by {@link tool}. */
export type FunctionTool = Pick<ToolOptions<ArgumentsSchema>, 'name' | 'title' | 'description' | 'annotations'> & {
  readonly inputSchema: JsonObject;
  readonly onlyAsks: boolean;
  readonly isolated: boolean;
  /** Undefined for arguments that are invalid. */
  readonly diff: (args: JsonObject, ctx: Pick<ToolContext, 'workspace'>) => string | undefined;
  /**
   * Validates the arguments, then executes.
   *
   * @throws ToolyardError `invalid_arguments`, and everything that `execute` throws
   */
  readonly run: (args: JsonObject, ctx: ToolContext) => Promise<ToolOutput>;
};

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Creates a tool from a function. Its arguments are validated before execution and typed by their schema.
 *
 * @example
 * const weather = tool({
 *   name: 'weather',
 *   description: 'The weather of a city now.',
 *   inputSchema: z.object({ city: z.string() }),
 *   annotations: { readOnly: true, openWorld: false },
 *   execute: ({ city }) => `Sunny in ${city}`,
 * });
 * await using agent = await createAgent({ model, tools: [weather] });
 *
 * @throws ToolyardError `bad_config` for an invalid name, or a schema that does not describe an object
 */
export function tool<const S extends ArgumentsSchema>(options: ToolOptions<S>): FunctionTool {
  const { name, title, description, annotations, onlyAsks = false, isolated = false } = options;
  const { inputSchema: schema, diff, execute } = options;
  if (!NAME.test(name))
    throw createBadConfigError(`The tool name "${name}" must be 1 to 64 of A-Z, a-z, 0-9, "_" and "-".`);
  const inputSchema = toJsonSchema(options);
  const read = isStandard(schema)
    ? (args: JsonObject) => validated(name, schema, args)
    : (args: JsonObject) => checked(name, inputSchema, args);
  return {
    name,
    ...defined({ title }),
    description,
    ...defined({ annotations }),
    inputSchema,
    onlyAsks,
    isolated,
    diff: (args, ctx) =>
      diff === undefined || checkArguments(inputSchema, args) !== null ? undefined : diff(args as ArgumentsOf<S>, ctx),
    // `read` returns what the schema describes, which TypeScript cannot follow.
    run: async (args, ctx) => execute((await read(args)) as ArgumentsOf<S>, ctx),
  };
}

function isStandard(schema: ArgumentsSchema): schema is StandardSchemaV1 {
  return '~standard' in schema;
}

function toJsonSchema({
  name,
  inputSchema,
  jsonSchema,
}: Pick<ToolOptions<ArgumentsSchema>, 'name' | 'inputSchema' | 'jsonSchema'>): JsonObject {
  const objectSchema = isStandard(inputSchema) ? (jsonSchema ?? fromLibrary(name, inputSchema)) : inputSchema;
  if (isJsonObject(objectSchema) && objectSchema['type'] === 'object') return objectSchema;
  throw createBadConfigError(`The inputSchema of the tool "${name}" must describe an object (type "object").`);
}

function fromLibrary(name: string, schema: StandardSchemaV1): unknown {
  const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema['~standard'];
  const objectSchema = standard.jsonSchema?.input({ target: 'draft-2020-12' });
  if (objectSchema !== undefined) return objectSchema;
  throw createBadConfigError(
    `The schema of the tool "${name}" (${standard.vendor}) cannot be turned into JSON Schema.`,
    'Add the same schema as JSON Schema in "jsonSchema".',
  );
}

async function validated(name: string, schema: StandardSchemaV1, args: JsonObject): Promise<unknown> {
  const outcome = await schema['~standard'].validate(args);
  if (outcome.issues === undefined) return outcome.value;
  const faults = outcome.issues.map(({ path = [], message }) => {
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return place === '' ? message : `"${place}": ${message}`;
  });
  throw createInvalidArgumentsError(name, faults.join(' '));
}

function checked(name: string, schema: JsonObject, args: JsonObject): JsonObject {
  const fault = checkArguments(schema, args);
  if (fault !== null) throw createInvalidArgumentsError(name, fault);
  return args;
}

function createInvalidArgumentsError(name: string, why: string): ToolyardError {
  return new ToolyardError({ code: 'invalid_arguments', message: say`The arguments of "${name}" are invalid: ${why}` });
}

function createBadConfigError(message: string, hint?: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, ...defined({ hint }) });
}

/** Function tools that users see, enable and disable together, as one built-in server with this id. */
export type FunctionToolGroup = {
  id: string;
  /** Display name; default: the id. */
  title?: string;
  /** False: off until a user enables it. */
  enabled?: boolean;
  /** Its tools work in the folder of the conversation, and are offered only where one is set. */
  needsWorkspace?: true;
  /** Its tools read skills, and are offered only where a skill is on. */
  needsSkills?: true;
  /** Its tools delegate tasks, and are offered only to runs that can start sub-agents. */
  needsSubAgents?: true;
  /** Its tools are the decisions of a group, and are offered only to its runs. */
  needsGroup?: true;
  tools: readonly FunctionTool[];
};
