import type { AssistantMessage } from '@toolyard/protocol';
import { say, withTemplates } from '@toolyard/protocol';
import type { Executor, PendingCall } from '@toolyard/agent-runtime';
import { GROUP_SERVER } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { messageIdOf } from './call-llm.ts';

/** The model of messages that no model wrote. */
const NO_MODEL = 'group';

/** Gives a member its turn: adds the call of the group as if a supervisor had made it. */
export function createCallMember(host: RunHost): Executor<'call_member'> {
  const { conversation, journal, clock } = host;
  return ({ agentId, kind }, state) => {
    const id = messageIdOf(state, journal.attempt);
    const tool = { serverId: GROUP_SERVER, name: kind };
    const call: PendingCall = {
      callId: `${id}.0`,
      name: kind,
      tool,
      arguments: { member: agentId },
      decision: 'undecided',
    };
    const { callId, name, arguments: args } = call;
    const message: AssistantMessage = {
      id,
      parentId: conversation.messages().at(-1)?.id ?? null,
      createdAt: clock.now(),
      role: 'assistant',
      parts: [{ type: 'tool_call', callId, name, tool, arguments: args }],
      runId: state.runId,
      model: NO_MODEL,
      finishReason: 'tool_calls',
    };
    conversation.add(message);
    journal.append({ type: 'message_finished', message });
    return { state: { ...state, pending: [call] }, context: { phase: 'human_response' } };
  };
}

/** Parks the run until the user resumes it. */
export function createPauseGroup(host: RunHost): Executor<'pause_group'> {
  return (_instruction, state) => {
    const text = say`The group is paused.`;
    host.journal.append(withTemplates({ type: 'notice', level: 'info', code: 'group_paused', text }));
    host.journal.append({ type: 'run_parked' });
    return { state: { ...state, status: 'parked' }, context: { phase: 'waiting' } };
  };
}
