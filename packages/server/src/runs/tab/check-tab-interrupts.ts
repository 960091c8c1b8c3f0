import type { CallToolFacts } from '@toolyard/agent-runtime';
import { dangerOf } from '@toolyard/agent-runtime';
import { faultOfUrlToOpen } from '@toolyard/mcp-host';
import type {
  ApprovalInterrupt,
  AskedBy,
  Budget,
  BudgetInterrupt,
  CallInterrupt,
  CommitFromTab,
  InDoubtInterrupt,
  Interrupt,
  InterruptAnswer,
  JsonObject,
  JsonValue,
  JudgedCall,
  LedgerEntry,
  PromptInterrupt,
  SelectionInterrupt,
  StoredInterrupt,
  TabServer,
  ToolCallPart,
  ToolReference,
} from '@toolyard/protocol';
import {
  budgetKey,
  canonicalJson,
  defined,
  formatToolReference,
  isJsonObject,
  MAX_OPEN_REQUESTS,
  withTemplates,
} from '@toolyard/protocol';
import { createForbiddenWriteError } from './check-tab-commit.ts';
import type { ReadTools } from './tab-tool-calls.ts';

/** What the server knows of a run in a tab; read when a commit needs it. */
export type TabRunDetails = {
  /** The servers that this tab offers to the conversation. */
  offered: () => Promise<readonly TabServer[]>;
  /** The conversations to which this tab offers servers. */
  conversations: () => Promise<readonly string[]>;
  /** Interrupts of the run that wait for the user. */
  open: () => Promise<readonly StoredInterrupt[]>;
  /** The tools that the server has for the run, and its verdicts about these calls. */
  tools: (calls: readonly JudgedCall[]) => Promise<ReadTools>;
  /** The call as the stored message has it. */
  findCall: (callId: string) => Promise<ToolCallPart | undefined>;
  ledger: () => Promise<readonly LedgerEntry[]>;
  /** The budgets of the run as configured. */
  budgets: () => Promise<readonly Budget[]>;
  /** Interrupts of the run that the user has answered. */
  answered: () => Promise<readonly StoredInterrupt[]>;
  /** The port of this server, which calls must not reach. */
  port?: number | undefined;
};

/**
 * What a user decides on is built by the server: a tab may ask only about a call that it has committed, about a tool as
 * the server's own catalogue or this tab's offer has it, and about a budget of the run. Anything else rejects the
 * commit.
 *
 * @throws ToolyardError `bad_request` that says what is wrong
 */
export async function checkTabInterrupts(interrupts: readonly Interrupt[], details: TabRunDetails): Promise<void> {
  // An event and the interrupt that it opens are the same.
  const different = new Map(
    interrupts.map((interrupt) => [canonicalJson(interrupt as unknown as JsonValue), interrupt]),
  );
  for (const interrupt of different.values()) await checkInterrupt(interrupt, details);
  if (interrupts.some(isOfServer)) checkCount([...(await details.open()).map((each) => each.interrupt), ...interrupts]);
}

type ServerInterrupt = Extract<Interrupt, { kind: 'elicitation' | 'sampling' }>;

function isOfServer(interrupt: Interrupt): interrupt is ServerInterrupt {
  return interrupt.kind === 'elicitation' || interrupt.kind === 'sampling';
}

/** The limits of {@link MAX_OPEN_REQUESTS} apply whichever way a server asks. */
function checkCount(interrupts: readonly Interrupt[]): void {
  const unique = new Map(interrupts.filter(isOfServer).map((interrupt) => [interrupt.id, interrupt]));
  const { perCall, perServer } = MAX_OPEN_REQUESTS;
  const counts = new Map<string, number>();
  const count = (key: string, limit: number): void => {
    const sum = (counts.get(key) ?? 0) + 1;
    if (sum > limit) throw createForbiddenWriteError(`more than ${limit} open requests of a server`);
    counts.set(key, sum);
  };
  for (const { callId, tool } of unique.values()) {
    count(`call ${callId}`, perCall);
    count(`server ${tool.serverId}`, perServer);
  }
}

/** Answers that a run may give by itself, when no user could be asked. */
const NO: ReadonlySet<InterruptAnswer['decision']> = new Set(['refuse', 'decline', 'cancel', 'stop', 'failed']);

/**
 * Only users answer: a commit shows an answer as the server has stored it.
 *
 * @throws ToolyardError `bad_request`
 */
export async function checkTabAnswers({ events }: CommitFromTab, { answered }: TabRunDetails): Promise<void> {
  for (const event of events) {
    if (event.type !== 'interrupt_answered' || NO.has(event.answer.decision)) continue;
    const stored = (await answered()).find(({ id }) => id === event.interruptId);
    if (stored && isSame(stored.answer, event.answer)) continue;
    throw createForbiddenWriteError(`an answer to ${event.interruptId} that the user has not given`);
  }
}

/** The interrupts that a commit shows or opens. */
export function interruptsIn({ events, interrupts }: CommitFromTab): Interrupt[] {
  const shown = events.flatMap((event) => (event.type === 'interrupt_requested' ? [event.interrupt] : []));
  return [...shown, ...(interrupts?.opened ?? []).map(({ interrupt }) => interrupt)];
}

/** The commit with who asks, as the server knows it. */
export function withAskedBy(commit: CommitFromTab, by: AskedBy | undefined): CommitFromTab {
  const mark = (interrupt: Interrupt): Interrupt => {
    const { askedBy: _ofTab, ...own } = interrupt;
    return by ? { ...own, askedBy: by } : own;
  };
  const { interrupts } = commit;
  return {
    ...commit,
    events: commit.events.map((event) =>
      event.type === 'interrupt_requested' ? { ...event, interrupt: mark(event.interrupt) } : event,
    ),
    ...(interrupts?.opened
      ? {
          interrupts: {
            ...interrupts,
            opened: interrupts.opened.map((opened) => ({ ...opened, interrupt: mark(opened.interrupt) })),
          },
        }
      : {}),
  };
}

async function checkInterrupt(interrupt: Interrupt, details: TabRunDetails): Promise<void> {
  switch (interrupt.kind) {
    case 'approval':
      await checkCall(interrupt, await argumentsShown(interrupt, details), details);
      await checkApproval(interrupt, details);
      return;
    case 'in_doubt':
      return checkInDoubt(interrupt, details);
    case 'prompt':
    case 'selection':
      return checkQuestion(interrupt, await checkCall(interrupt, null, details), details);
    case 'elicitation': {
      await checkCall(interrupt, null, details);
      const fault = interrupt.mode === 'url' ? faultOfUrlToOpen(interrupt.url) : null;
      if (fault !== null) throw createForbiddenWriteError(`a URL that must not be opened. ${fault}`);
      await checkConversations(interrupt, details);
      return requireOffered(interrupt, details);
    }
    case 'sampling':
      await checkCall(interrupt, null, details);
      await checkConversations(interrupt, details);
      return requireOffered(interrupt, details);
    case 'sign_in':
    case 'tab':
      await checkCall(interrupt, null, details);
      return requireOffered(interrupt, details);
    case 'budget':
      return checkBudget(interrupt, details);
    default:
      return throwUnknownKind(interrupt);
  }
}

function throwUnknownKind(interrupt: never): never {
  throw createForbiddenWriteError(`an unknown request ${JSON.stringify(interrupt)}`);
}

/** The request is about a call of this run, as it was committed. `args`: the arguments shown, if any are. */
async function checkCall(
  { callId, tool, name }: CallInterrupt,
  args: JsonObject | null,
  { findCall }: TabRunDetails,
): Promise<ToolCallPart> {
  const call = await findCall(callId);
  if (!call) throw createForbiddenWriteError(`a request about the call ${callId}, which no message contains`);
  if (!isSame(call.tool, tool) || call.name !== name)
    throw createForbiddenWriteError(`a request about another tool than ${callId}`);
  if (args && !isSame(call.arguments, args))
    throw createForbiddenWriteError(`other arguments than those of the call ${callId}`);
  return call;
}

/** Arguments that the user has edited replace those of the call; null then, because they need no comparison. */
async function argumentsShown(
  { callId, arguments: args }: ApprovalInterrupt,
  { answered }: TabRunDetails,
): Promise<JsonObject | null> {
  const isEdited = (await answered()).some(
    ({ interrupt, answer }) =>
      interrupt.kind === 'approval' &&
      interrupt.callId === callId &&
      answer?.decision === 'approve' &&
      isSame(answer.arguments, args),
  );
  return isEdited ? null : args;
}

async function checkApproval(interrupt: ApprovalInterrupt, details: TabRunDetails): Promise<void> {
  const { tool, arguments: args, danger, templates, diff, autoUnconfirmed, textCall, byRule } = interrupt;
  const expected = withTemplates(defined({ danger: dangerOf(tool, args, { own: { port: details.port } }) }));
  if (isOfTab(tool)) {
    if (danger !== undefined && !isSame({ danger, templates }, expected))
      throw createForbiddenWriteError('a warning that is not of the server');
    if (diff !== undefined || autoUnconfirmed !== undefined)
      throw createForbiddenWriteError('facts that only the server knows');
    return requireOffered(interrupt, details);
  }
  const { tools, judged } = await details.tools([{ tool, arguments: args, ...defined({ textCall }) }]);
  const [own] = judged;
  if (!own || !findTool(tools, tool)) {
    throw createForbiddenWriteError(`an approval of ${tool.serverId}/${tool.name}, which the run does not have`);
  }
  const { verdict, about } = own;
  // What was asked may be allowed or forbidden by now; an approval changes nothing then.
  const shown: CallToolFacts =
    verdict.decision === 'ask'
      ? (verdict.about ?? {})
      : { ...about, ...defined({ textCall, byRule }), ...(danger === expected.danger ? expected : {}) };
  for (const field of SHOWN) {
    if (!isSame(interrupt[field], shown[field]))
      throw createForbiddenWriteError(`another ${field} than that of the call`);
  }
}

/** What an approval shows of its call: a new fact that is not compared fails to compile. */
const SHOWN = Object.keys({
  description: true,
  definition: true,
  inputSchema: true,
  changed: true,
  diff: true,
  danger: true,
  templates: true,
  byRule: true,
  textCall: true,
  autoUnconfirmed: true,
} satisfies Record<keyof CallToolFacts, true>) as (keyof CallToolFacts)[];

/** The call was sent, and the ledger says when. */
async function checkInDoubt(interrupt: InDoubtInterrupt, details: TabRunDetails): Promise<void> {
  const { callId, tool, arguments: args } = interrupt;
  const entry = (await details.ledger()).find((each) => each.callId === callId);
  const isSent = entry?.status === 'sent' || entry?.status === 'in_doubt';
  // The ledger knows no origins; `checkCall` compares the tool with that of the message.
  const isOfTool = entry !== undefined && formatToolReference(entry.tool) === formatToolReference(tool);
  if (!isSent || !isOfTool || !isSame(entry.arguments, args)) {
    throw createForbiddenWriteError(`a question about the call ${callId}, which was not sent so`);
  }
  if (interrupt.sentAt > entry.updatedAt) throw createForbiddenWriteError(`another time of the call ${callId}`);
  await checkCall(interrupt, null, details);
  if (isOfTab(tool)) await requireOffered(interrupt, details);
}

/** The model asks through a built-in tool: the texts are those of its call. */
async function checkQuestion(
  interrupt: PromptInterrupt | SelectionInterrupt,
  call: ToolCallPart,
  details: TabRunDetails,
): Promise<void> {
  const known = findTool((await details.tools([])).tools, interrupt.tool);
  if (known?.builtIn !== true) throw createForbiddenWriteError('a question of a tool that is not built in');
  const texts = textsIn(call.arguments);
  const asked = interrupt.kind === 'prompt' ? [interrupt.question] : [interrupt.question, ...interrupt.choices];
  if (!asked.every((text) => texts.some((own) => own.startsWith(text)))) {
    throw createForbiddenWriteError(`another question than that of the call ${interrupt.callId}`);
  }
}

async function checkBudget({ budget, measure }: BudgetInterrupt, details: TabRunDetails): Promise<void> {
  const key = budgetKey(budget);
  const configured = (await details.budgets()).find((each) => budgetKey(each) === key);
  const limits = (await details.answered()).flatMap(({ interrupt, answer }) =>
    interrupt.kind === 'budget' && budgetKey(interrupt.budget) === key && answer?.decision === 'raise'
      ? [answer.limit]
      : [],
  );
  const limit = budget[measure];
  if (!configured || limit === undefined || ![configured[measure], ...limits].includes(limit)) {
    throw createForbiddenWriteError('a budget that the run does not have');
  }
}

async function checkConversations({ mayBelongTo = [] }: ServerInterrupt, details: TabRunDetails): Promise<void> {
  const own = mayBelongTo.length === 0 ? [] : await details.conversations();
  const other = mayBelongTo.find((id) => !own.includes(id));
  if (other !== undefined)
    throw createForbiddenWriteError(`the conversation ${other}, to which this tab offers nothing`);
}

async function requireOffered({ tool }: CallInterrupt, details: TabRunDetails): Promise<void> {
  const server = isOfTab(tool) ? (await details.offered()).find(({ id }) => id === tool.serverId) : undefined;
  if (server?.tools.some(({ name }) => name === tool.name)) return;
  throw createForbiddenWriteError(`a request of ${tool.serverId}/${tool.name}, which this tab does not offer`);
}

/** Built-in tools that a tab executes have its origin as well, but not the prefix of its servers. */
function isOfTab(tool: ToolReference): boolean {
  return tool.origin === 'tab' && tool.serverId.startsWith('browser-');
}

/** The tool of the server; of a tab only a built-in one, whichever process executes it. */
function findTool(
  tools: ReadTools['tools'],
  { serverId, name, origin }: ToolReference,
): ReadTools['tools'][number] | undefined {
  return tools.find(
    ({ tool, builtIn }) => tool.serverId === serverId && tool.name === name && (builtIn || origin !== 'tab'),
  );
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one as JsonValue) === canonicalJson(other as JsonValue);
}
