import type { AssistantMessage, AssistantPart, GroupCallResult, ToolMessage } from '@toolyard/protocol';
import { defined, textOf } from '@toolyard/protocol';
import type { AgentState, GroupOutcome } from '@toolyard/agent-runtime';
import { GroupOrchestrationRuntime, groupResultOf } from '@toolyard/agent-runtime';
import type { RunGroup } from '../run-group.ts';
import type { RunHost } from '../run-host.ts';
import type { MemberAnswer } from '../sub-agents.ts';

/**
 * Adds the answers of members after the results of the calls that asked for them, and counts the round: in the commit
 * that stores these results.
 */
export async function addMemberAnswers(host: RunHost, state: AgentState): Promise<AgentState> {
  const { group, subAgents, conversation, journal } = host;
  if (!group || !state.group) return state;
  const outcomes: GroupOutcome[] = [];
  for (const { callId, result } of latestCalls(host)) {
    const ran = result.members.flatMap(({ runId, ...outcome }) => (runId === undefined ? [] : [{ ...outcome, runId }]));
    const answers = (await subAgents?.answers(ran.map(({ runId }) => runId))) ?? [];
    const members = ran.map((outcome, at) => ({ outcome, answer: answers[at] ?? null }));
    outcomes.push({
      kind: result.kind,
      members: result.members.map(({ agentId, runId }) => {
        const answer = members.find(({ outcome }) => outcome.runId === runId)?.answer ?? null;
        return {
          agentId,
          text: answer ? textOf(answer.message) : '',
          // A member that failed does not keep the conversation.
          handedBack: answer?.handedBack !== false,
        };
      }),
    });
    // Ballots are in the result.
    if (result.kind === 'vote' || result.kind === 'finish') continue;
    for (const { outcome, answer } of members) {
      const of = { callId, result, outcome, group, state };
      const message = answer && messageOf(host, of, answer);
      if (!message) continue;
      conversation.add(message);
      journal.append({ type: 'message_finished', message });
    }
  }
  const orchestration = new GroupOrchestrationRuntime(group.settings);
  return { ...state, group: orchestration.after(state.group, outcomes) };
}

/** The results of the group since the last answer. */
function latestCalls({ conversation }: RunHost): { callId: string; result: GroupCallResult }[] {
  const messages = conversation.messages();
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const results = messages.slice(from).filter((message): message is ToolMessage => message.role === 'tool');
  return results.flatMap((message) => {
    const result = groupResultOf(message);
    return result ? [{ callId: message.parts[0].callId, result }] : [];
  });
}

function messageOf(
  { conversation, clock }: RunHost,
  {
    callId,
    result,
    outcome,
    group,
    state,
  }: {
    callId: string;
    result: GroupCallResult;
    outcome: { agentId: string; name: string; runId: string; conversationId?: string };
    group: RunGroup;
    state: AgentState;
  },
  { message, handedBack }: MemberAnswer,
): AssistantMessage | null {
  const parts = message.parts.filter(isShown);
  if (parts.length === 0 || result.kind === 'finish') return null;
  const { agentId, name, runId, conversationId = '' } = outcome;
  const avatar = group.members.find((member) => member.agentId === agentId)?.avatar ?? message.agent?.avatar;
  return {
    id: `${runId}.answer`,
    parentId: conversation.messages().at(-1)?.id ?? null,
    createdAt: clock.now(),
    role: 'assistant',
    parts,
    runId: state.runId,
    model: message.model,
    agent: { id: agentId, title: name, ...defined({ avatar }) },
    member: {
      kind: result.kind,
      runId,
      conversationId,
      callId,
      ...(result.private ? { private: true } : {}),
      ...(result.kind === 'delegate' && handedBack ? { handedBack: true } : {}),
    },
    finishReason: message.finishReason,
  };
}

function isShown(part: AssistantPart): boolean {
  return part.type === 'text' ? part.text.trim() !== '' : part.type === 'image' || part.type === 'citation';
}
