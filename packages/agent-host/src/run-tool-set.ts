import type { ContextSources, ToolPolicyFacts } from '@toolyard/agent-runtime';
import type { CallToolOptions, IndexedTool, ToolHost } from '@toolyard/mcp-host';
import { namedBeside } from '@toolyard/mcp-host';
import type { ErrorInfo, JsonObject, JudgedCall, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { formatToolReference, ToolyardError } from '@toolyard/protocol';
import { notSent } from './executors/make-call.ts';
import type { FunctionTools, RunCallOptions, RunToolHost } from './functions/function-tools.ts';

/** Tools of one kind that a run may use at the moment, such as those of MCP servers or of browser tabs. */
export type ToolSource = Pick<ToolHost, 'tools' | 'resumeTask'> & {
  /** True for a tool whose calls go to this source. The source without it gets all other calls. */
  has?(tool: ToolReference): boolean;
  /** The era of the task handles that this source resumes. The source without {@link has} gets all others. */
  readonly taskEra?: TaskHandle['era'];
  callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions): Promise<ToolResult>;
  /** The same object until its content changes. */
  contextSources(): ContextSources;
  /** Undefined for a tool that does not exist. */
  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined;
  /** Resolves when everything is known that checking these calls needs, such as announced definitions of their tools. */
  refresh(calls: readonly JudgedCall[]): Promise<void> | undefined;
};

type RunToolSetOptions = {
  /** In the order of their tools. If two list a server, the first one has it; no source renames tools of an earlier one. */
  sources: readonly ToolSource[];
  /** The tools among those of {@link sources} that are executed in place. */
  functions?: FunctionTools | undefined;
  /** False for a tool that the model does not see. */
  isOffered: (tool: IndexedTool) => boolean;
  /** Why the run must neither see nor call a tool; undefined if it may. */
  refusal?: ((tool: ToolReference) => ErrorInfo | undefined) | undefined;
};

/** All tools that a run may use at the moment. It finds the source of a call once; the source makes the call. */
export class RunToolSet implements RunToolHost {
  readonly #options: RunToolSetOptions;
  readonly #rest: ToolSource | undefined;
  #listed: { of: readonly (readonly IndexedTool[])[]; tools: readonly IndexedTool[] } = { of: [], tools: [] };
  #offered: { of: readonly IndexedTool[]; tools: readonly IndexedTool[] } = { of: [], tools: [] };
  #context: { of: readonly ContextSources[]; merged: ContextSources } = { of: [], merged: { serverInstructions: [] } };

  constructor(options: RunToolSetOptions) {
    this.#options = options;
    this.#rest = options.sources.find((source) => source.has === undefined);
  }

  /** The same list until it changes. */
  tools(): readonly IndexedTool[] {
    const { isOffered, refusal } = this.#options;
    const of = this.#all();
    if (this.#offered.of !== of) {
      this.#offered = { of, tools: of.filter((each) => isOffered(each) && refusal?.(each.tool) === undefined) };
    }
    return this.#offered.tools;
  }

  resolve(name: string): IndexedTool | undefined {
    return this.tools().find((each) => each.name === name);
  }

  async callTool(tool: ToolReference, args: JsonObject, options: RunCallOptions): Promise<ToolResult> {
    // A stored call is made again after a restart, so the refusal is checked here too.
    const refusal = this.#options.refusal?.(tool);
    if (refusal) return notSent(refusal);
    const executed = this.#options.functions?.call(this.#all(), tool, args, options);
    return executed ?? (this.#findSource(tool) ?? throwNoSource(tool)).callTool(tool, args, options);
  }

  async resumeTask(handle: TaskHandle, options?: CallToolOptions): Promise<ToolResult> {
    const source = this.#options.sources.find(({ taskEra }) => taskEra === handle.era) ?? this.#rest;
    return (source ?? throwNoSource(handle.tool)).resumeTask(handle, options);
  }

  /** The same object until its content changes. */
  contextSources(): ContextSources {
    const of = this.#options.sources.map((source) => source.contextSources());
    if (!isSameList(this.#context.of, of)) {
      const serverInstructions = of.flatMap((each) => each.serverInstructions);
      this.#context = { of, merged: Object.assign({}, ...of, { serverInstructions }) as ContextSources };
    }
    return this.#context.merged;
  }

  /** Undefined for a tool that does not exist. */
  policyFacts(tool: ToolReference): ToolPolicyFacts | undefined {
    return this.#findSource(tool)?.policyFacts(tool) ?? this.#rest?.policyFacts(tool);
  }

  /** Resolves when the sources know everything that checking these calls needs. */
  refresh(calls: readonly JudgedCall[]): Promise<void> | undefined {
    const pending = this.#options.sources.flatMap(
      (source) => source.refresh(calls.filter(({ tool }) => this.#findSource(tool) === source)) ?? [],
    );
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }

  #findSource(tool: ToolReference): ToolSource | undefined {
    return this.#options.sources.find((source) => source.has?.(tool)) ?? this.#rest;
  }

  /** Includes tools that are not offered. */
  #all(): readonly IndexedTool[] {
    const of = this.#options.sources.map((source) => source.tools());
    if (!isSameList(this.#listed.of, of)) this.#listed = { of, tools: joinLists(of) };
    return this.#listed.tools;
  }
}

function joinLists(lists: readonly (readonly IndexedTool[])[]): readonly IndexedTool[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  return others.reduce((before, list) => {
    const servers = new Set(before.map(({ tool }) => tool.serverId));
    const added = namedBeside(
      before,
      list.filter(({ tool }) => !servers.has(tool.serverId)),
    );
    return [...before, ...added];
  }, first);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, at) => each === other[at]);
}

function throwNoSource(tool: ToolReference): never {
  throw new ToolyardError({ code: 'internal', message: `The run has no source for ${formatToolReference(tool)}.` });
}
