import type { AgentState, CallToolFacts, ContextSources, PolicyVerdict, RunnableCall } from '@toolyard/agent-runtime';
import { budgetError, isHarmless } from '@toolyard/agent-runtime';
import type { IndexedTool } from '@toolyard/mcp-host';
import type { ErrorInfo, JudgedCall, ToolMessage, ToolReference, ToolResult } from '@toolyard/protocol';
import { createErrorInfo, formatToolReference, say } from '@toolyard/protocol';
import type { RunAccess, RunHostOptions } from './create-run-host.ts';
import { createRunHost } from './create-run-host.ts';
import { NOT_APPROVED, notSent } from './executors/make-call.ts';
import { MemoryConversation } from './in-memory/conversation.ts';
import { createMemoryJournal } from './in-memory/journal.ts';
import { memoryLedger } from './in-memory/ledger.ts';

/** The verdict about a call, and what a user who is asked about it would see of its tool. */
export type JudgedToolCall = { verdict: PolicyVerdict; about: CallToolFacts };

/** What was decided about one call: the result of one that is not made, or how to make it. */
type CallDecision = { answer: ToolResult } | { make: () => Promise<ToolResult> };

type RunToolServiceOptions = Pick<
  RunHostOptions,
  'configuration' | 'modelId' | 'providerId' | 'principal' | 'clock' | 'signal' | 'keepResult' | 'used' | 'onDefect'
> & { run: { id: string; conversationId: string } };

/**
 * Tools and policy for a run whose loop executes elsewhere: it decides and makes single calls as the loop would, with
 * the same brain and the same executor. The call belongs to the caller, who stores it; no user is asked during it.
 *
 * @example
 * const service = new RunToolService({ run, configuration, modelId, clock: systemClock, signal }, access);
 * const [judged] = await service.judge([{ tool: { serverId: 'files', name: 'delete' }, arguments: {} }]);
 * console.log(judged?.verdict.decision);
 */
export class RunToolService {
  readonly #host: ReturnType<typeof createRunHost>;
  readonly #conversation: MemoryConversation;

  constructor({ run, ...options }: RunToolServiceOptions, access: RunAccess) {
    this.#conversation = new MemoryConversation(run.conversationId);
    this.#host = createRunHost(
      {
        ...options,
        conversation: this.#conversation,
        journal: createMemoryJournal({ runId: run.id, clock: options.clock, publish: () => undefined }),
        ledger: memoryLedger,
        approvalMode: { mode: 'decline' },
        interrupts: { mode: 'decline' },
      },
      access,
    );
  }

  /** Tools of tabs are not among them: a call of such a tool is made by its tab. */
  get tools(): readonly IndexedTool[] {
    return this.#host.tools.tools().filter(({ tool }) => tool.origin !== 'tab');
  }

  /** The list of skills and the instructions of servers for requests to the model. */
  get contextSources(): ContextSources {
    return this.#host.contextSources();
  }

  /** Judges calls by the current policy; the user's approvals of single calls do not count. */
  async judge(calls: readonly JudgedCall[]): Promise<JudgedToolCall[]> {
    await this.#host.refresh?.(calls);
    return calls.map(({ tool: named, arguments: args, textCall }) => {
      const tool = this.#find(named)?.tool;
      if (!tool) return { verdict: { decision: 'refused', refusal: gone(named) }, about: {} };
      const verdict = this.#host.gate(tool, args, textCall);
      return { verdict, about: this.#host.tools.policyFacts(tool)?.about?.() ?? {} };
    });
  }

  /** True for a call that is safe to make again although it may have been made already. */
  isRepeatable(tool: ToolReference): boolean {
    const found = this.#find(tool);
    return found !== undefined && isHarmless(this.#host.tools.policyFacts(found.tool));
  }

  /** Decides about one call. `given.approved` only for an approval that the user has given. */
  async decide(given: RunnableCall, state: AgentState): Promise<CallDecision> {
    const known = this.#find(given.tool);
    if (!known) return { answer: notSent(gone(given.tool)) };
    const call: RunnableCall = { ...given, tool: known.tool };
    await this.#host.refresh?.([call]);
    await this.#host.count?.();
    const pending: AgentState = { ...state, pending: [call] };
    const instruction = this.#host.brain.decide(pending, { phase: 'human_response' });
    switch (instruction.type) {
      case 'call_tool': {
        const { call: judged } = instruction;
        if (judged.problem) return { answer: notSent(judged.problem) };
        return judged.refusal ? { answer: notSent(judged.refusal) } : { make: () => this.#make(judged, pending) };
      }
      case 'request_human_approve':
        return { answer: notSent(NOT_APPROVED) };
      case 'request_human_budget':
        return { answer: notSent(budgetError(instruction.excess)) };
      case 'resolve_aborted_tools':
      case 'finish':
        return { answer: notSent(instruction.ending.status === 'failed' ? instruction.ending.error : NOT_APPROVED) };
      default:
        return { answer: notSent(NEEDS_LOOP) };
    }
  }

  /** The tool as it is listed: the caller may name it with another origin. */
  #find({ serverId, name }: ToolReference): IndexedTool | undefined {
    return this.tools.find(({ tool }) => tool.serverId === serverId && tool.name === name);
  }

  async #make(call: RunnableCall, state: AgentState): Promise<ToolResult> {
    const point = await this.#host.executors.call_tool({ type: 'call_tool', call }, state);
    const answer = this.#conversation.messages().find(isAnswerTo(call));
    // What its tool or its server asks needs the loop of the run.
    return point.state.pending.length === 0 && answer ? answer.parts[0].result : notSent(NEEDS_LOOP);
  }
}

function isAnswerTo({ callId }: RunnableCall) {
  return (message: { role: string }): message is ToolMessage =>
    message.role === 'tool' && (message as ToolMessage).parts[0].callId === callId;
}

function gone(tool: ToolReference): ErrorInfo {
  return createErrorInfo({
    code: 'tool_not_found',
    message: say`The run does not have the tool ${formatToolReference(tool)}.`,
  });
}

const NEEDS_LOOP: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`This tool asks the user during its call, which is not possible in a run that executes in a tab.`,
  hint: say`Run the answer on the server.`,
});
