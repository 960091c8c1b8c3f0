import type { AssistantMessage, AssistantPart, GroupCallResult, MemberOutcome, ToolMessage } from '@toolyard/protocol';
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
  const { group, conversation, journal } = host;
  if (!group || !state.group) return state;
  // Read before anything is added: what is added here is stored at once.
  const answered = await Promise.all(latestCalls(host).map((call) => withAnswers(host, call)));
  for (const { callId, result, members } of answered) {
    // Ballots are in the result.
    if (result.kind === 'vote' || result.kind === 'finish') continue;
    for (const { outcome, answer } of members) {
      const message = answer && toMessage(host, { callId, result, outcome, group, state }, answer);
      if (!message) continue;
      conversation.add(message);
      journal.append({ type: 'message_finished', message });
    }
  }
  const orchestration = new GroupOrchestrationRuntime(group.settings);
  return { ...state, group: orchestration.after(state.group, answered.map(toOutcome)) };
}

type GroupCall = { callId: string; result: GroupCallResult };
type AnsweredTurn = { outcome: MemberOutcome; answer: MemberAnswer | null };
type AnsweredGroupCall = GroupCall & { members: AnsweredTurn[] };

/** With the answers of the members that had their turn. */
async function withAnswers({ subAgents }: RunHost, { callId, result }: GroupCall): Promise<AnsweredGroupCall> {
  const runIds = result.members.flatMap(({ runId }) => (runId === undefined ? [] : [runId]));
  const answers = (await subAgents?.answers(runIds)) ?? [];
  const members = result.members.map((outcome): AnsweredTurn => {
    const at = outcome.runId === undefined ? -1 : runIds.indexOf(outcome.runId);
    return { outcome, answer: answers[at] ?? null };
  });
  return { callId, result, members };
}

function toOutcome({ result, members }: AnsweredGroupCall): GroupOutcome {
  return {
    kind: result.kind,
    members: members.map(({ outcome, answer }) => ({
      agentId: outcome.agentId,
      text: answer ? textOf(answer.message) : '',
      // A member that failed does not keep the conversation.
      handedBack: outcome.status !== 'done' || answer?.handedBack !== false,
    })),
  };
}

/** The results of the group since the last answer. */
function latestCalls({ conversation }: RunHost): GroupCall[] {
  const messages = conversation.messages();
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  const results = messages.slice(from).filter((message): message is ToolMessage => message.role === 'tool');
  return results.flatMap((message) => {
    const result = groupResultOf(message);
    return result ? [{ callId: message.parts[0].callId, result }] : [];
  });
}

function toMessage(
  { conversation, clock }: RunHost,
  { callId, result, outcome, group, state }: GroupCall & { outcome: MemberOutcome; group: RunGroup; state: AgentState },
  { message, handedBack }: MemberAnswer,
): AssistantMessage | null {
  const parts = message.parts.filter(isShown);
  const { agentId, name, runId, conversationId = '' } = outcome;
  if (parts.length === 0 || result.kind === 'finish' || runId === undefined) return null;
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
