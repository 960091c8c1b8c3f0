import type {
  AssistantMessage,
  AssistantPart,
  ConversationView,
  Message,
  RunEvent,
  RunEventBody,
  RunRecord,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  UserMessage,
} from '@toolyard/protocol';

/** Creates events of a server for tests. */

export const DATE_TOOL = { serverId: 'date', name: 'get-date' };

export function userMessage(id: string, text: string, parentId: string | null = null): UserMessage {
  return { id, parentId, createdAt: 1, role: 'user', parts: [{ type: 'text', text }] };
}

export function assistantMessage(
  id: string,
  parts: AssistantPart[],
  more: Partial<
    Pick<
      AssistantMessage,
      'parentId' | 'runId' | 'finishReason' | 'usage' | 'cost' | 'agent' | 'member' | 'unmadeCalls'
    >
  > = {},
): AssistantMessage {
  return {
    id,
    parentId: 'u1',
    createdAt: 2,
    role: 'assistant',
    parts,
    runId: 'r1',
    model: 'demo',
    finishReason: 'stop',
    ...more,
  };
}

export function toolCall(callId: string): ToolCallPart {
  return { type: 'tool_call', callId, name: 'get-date', tool: DATE_TOOL, arguments: { zone: 'Asia/Tokyo' } };
}

export function toolResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, outcome: 'done' };
}

export function toolMessage(id: string, callId: string, result: ToolResult, parentId: string): ToolMessage {
  return {
    id,
    parentId,
    createdAt: 3,
    role: 'tool',
    name: 'get-date',
    tool: DATE_TOOL,
    parts: [{ type: 'tool_result', callId, result }],
  };
}

export function run(id: string, status: RunRecord['status'] = 'running'): RunRecord {
  return {
    id,
    ownerId: 'owner',
    conversationId: 'c1',
    agentId: null,
    parentRunId: null,
    place: 'server',
    status,
    lastSeq: 0,
    createdAt: 1,
    updatedAt: 1,
    endedAt: null,
  };
}

export function view(messages: Message[], more: Partial<ConversationView> = {}): ConversationView {
  return {
    id: 'c1',
    title: '',
    agentId: null,
    pinned: false,
    createdAt: 1,
    updatedAt: 1,
    configuration: {},
    leafId: messages.at(-1)?.id ?? null,
    resolved: {
      model: null,
      instructions: '',
      parameters: {},
      limits: { maxTurns: 20, onMaxTurns: 'answer', toolConcurrency: 8, maxSameCall: 10, maxDepth: 2 },
      toolMode: 'native',
      servers: {},
      disabledTools: [],
      intervention: 'manual',
      interventionRules: [],
      budgets: [],
    },
    page: { messages, alternatives: {}, abandoned: [], earlier: false },
    activeRun: null,
    queue: [],
    interrupts: [],
    ...more,
  };
}

/** Stamps the events of a run, a second apart. */
export function createEvents(runId: string, bodies: readonly RunEventBody[], startAt = 1000): RunEvent[] {
  return bodies.map((body, index) => ({
    v: 1,
    seq: index + 1,
    runId,
    step: 0,
    attempt: 1,
    at: startAt + index * 1000,
    ...body,
  }));
}
