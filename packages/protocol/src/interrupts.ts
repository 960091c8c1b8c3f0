import type { Budget, BudgetMeasure, Spent } from './budgets.ts';
import type { JsonObject } from './json.ts';
import type { ToolResult } from './parts.ts';
import type { ToolReference } from './tools.ts';

/** Something a person must answer before the run goes on. Other kinds join this union as they are built. */
export type Interrupt =
  | ApprovalInterrupt
  | InDoubtInterrupt
  | FormInterrupt
  | UrlInterrupt
  | SamplingInterrupt
  | SignInInterrupt
  | PromptInterrupt
  | SelectionInterrupt
  | TabInterrupt
  | BudgetInterrupt;

/** A question about one call of a tool: all kinds but those about the run itself. */
export type CallInterrupt = Exclude<Interrupt, BudgetInterrupt>;

/** The call a question is about; whatever its server asks for, it asks while this call is made. */
type Asked = { id: string; callId: string; tool: ToolReference; name: string };

type AskedByServer = Asked & {
  /**
   * Set where the server did not say which of several calls it asks for: the conversations of all of them. Each is asked
   * and the first answer counts.
   */
  mayBelongTo?: string[];
};

/** May this call be made? The arguments shown are the arguments that will run. */
export type ApprovalInterrupt = Asked & {
  kind: 'approval';
  arguments: JsonObject;
  /** What the server says of the tool, as the model reads it. Untrusted, and shown with what hides in it. */
  description?: string;
  /** Stands for the tool as it was when this was asked: what is approved is that and nothing else. */
  definition?: string;
  /** What the arguments have to fit, also those a person writes instead; absent where it is long. Untrusted. */
  inputSchema?: JsonObject;
  /** The tool was approved before, and is not what it was then. */
  changed?: ToolChange;
  /** Why it is asked whatever was allowed: only an answer to this very question lets the call through. */
  danger?: string;
  /** A rule asks about every such call: an answer counts for this one only. */
  byRule?: true;
  /**
   * Mode `auto` would allow this call, and is not confirmed beside these enabled local servers, which run without a
   * sandbox. Set only where nothing else asks.
   */
  autoUnconfirmed?: string[];
};

/** In which way a tool differs from what was approved. */
export type ToolChange = {
  /** True if the server itself is another one now: another command, another address. */
  hasMoved: boolean;
  differences: ToolDifference[];
};

/** One place in which a definition is no longer what it was; `before` and `after` are JSON, cut where they are long. */
export type ToolDifference = { path: string; before?: string; after?: string };

/**
 * This call was sent, and the process died before an answer was stored: nobody can say whether it took effect. It is
 * not made again unless the person says so.
 */
export type InDoubtInterrupt = Asked & {
  kind: 'in_doubt';
  arguments: JsonObject;
  /** When it was sent, in milliseconds since 1970. */
  sentAt: number;
};

/** The server of the call wants a form filled in. Message and schema are its own words: {@link readForm} reads them. */
export type FormInterrupt = AskedByServer & {
  kind: 'elicitation';
  mode: 'form';
  message: string;
  requestedSchema: JsonObject;
};

/** The server of the call wants the person to open an address. It is opened by a click and by nothing else. */
export type UrlInterrupt = AskedByServer & { kind: 'elicitation'; mode: 'url'; message: string; url: string };

/**
 * The server of the call wants an answer of the conversation's model, at the person's cost. Shown is all that the model
 * would be sent.
 */
export type SamplingInterrupt = AskedByServer & {
  kind: 'sampling';
  systemPrompt?: string;
  messages: SamplingMessage[];
  /** Which models the server would like; the conversation's own answers. */
  modelHints: string[];
  /** The model that will answer. */
  model: string;
  maxTokens: number;
  /** Tools of the server's own the model may ask it for. */
  tools: { name: string; description?: string }[];
};

export type SamplingMessage = { role: 'user' | 'assistant'; content: SamplingContent[] };

export type SamplingContent =
  | { type: 'text'; text: string }
  /** A picture or a sound; its bytes are sent and not shown. */
  | { type: 'media'; mimeType: string; bytes: number }
  | { type: 'tool_use'; name: string; arguments: JsonObject }
  | { type: 'tool_result'; text: string };

/** The server of the call wants to know who is there. The call was not accepted, and is made again afterwards. */
export type SignInInterrupt = Asked & { kind: 'sign_in' };

/** The model itself wants to know something, in the person's own words. The question is the model's text. */
export type PromptInterrupt = Asked & { kind: 'prompt'; question: string };

/** The model itself wants one of these choices, or several of them. Question and choices are the model's text. */
export type SelectionInterrupt = Asked & {
  kind: 'selection';
  question: string;
  /** At least two, no two alike. */
  choices: string[];
  multiple: boolean;
};

/** A budget is used up. The run rests before whatever would use more: a model request, or calls of the tool. */
export type BudgetInterrupt = {
  id: string;
  kind: 'budget';
  /** As it counts for this run. */
  budget: Budget;
  /** What of it is used up. */
  measure: BudgetMeasure;
  spent: Spent;
};

/**
 * The tool is reached from a tab, and none that has it is open. A tab that comes answers by being there; a person may
 * give up waiting.
 */
export type TabInterrupt = Asked & { kind: 'tab' };

/**
 * For how long a decision about a tool counts: this one call, every call in this conversation, every call from now on.
 */
export type ApprovalScope = 'once' | 'conversation' | 'always';

/**
 * `approve` with `arguments`: the call is made with these instead of what the model asked for. They have to fit the tool
 * and are judged as any call; what was decided for later is about the tool, and takes no arguments with it.
 *
 * `refuse` with scope `always` is "never": the tool is not asked about again, and not run. With `stops` the run ends
 * there; else it goes on, and the model reads the reason.
 */
export type ApprovalAnswer =
  | { decision: 'approve'; scope: ApprovalScope; arguments?: JsonObject }
  | { decision: 'refuse'; scope?: 'once' | 'always'; reason?: string; stops?: true };

/**
 * What the person had before their eyes when they answered a question about a call: its arguments as the model asked for
 * them, and the `definition` that came with the question. Where it is sent and is not what was asked, nothing is answered.
 */
export type Shown = { arguments?: JsonObject; definition?: string };

/**
 * - `repeat`: make the call again
 * - `failed`: it did not take effect; the model is told that it failed
 * - `result`: it did, and this is what came of it; `result` is the whole of it, where whoever made the call came back
 */
export type InDoubtAnswer =
  | { decision: 'repeat' }
  | { decision: 'failed' }
  | { decision: 'result'; text: string; result?: ToolResult };

/**
 * - `accept`: with `content` for a form; for an address the consent to open it
 * - `decline`: the person says no, and the server is told so
 * - `cancel`: the person shut the question without an answer
 */
export type ElicitationAnswer =
  | { decision: 'accept'; content?: JsonObject }
  | { decision: 'decline' }
  | { decision: 'cancel' };

/**
 * `allow`: the model is asked. `texts` takes the place of the texts of the messages, in their order and as many as there
 * are; `systemPrompt` that of the server's.
 */
export type SamplingDecision = { decision: 'allow'; texts?: string[]; systemPrompt?: string } | { decision: 'decline' };

/** `signed_in`: make the call again. */
export type SignInAnswer = { decision: 'signed_in' } | { decision: 'decline' };

/** `decline`: the person does not want to say; the model goes on without. */
export type PromptAnswer = { decision: 'say'; text: string } | { decision: 'decline' };

/** `chosen`: choices of the question, one of them unless several may be chosen. */
export type SelectionAnswer = { decision: 'choose'; chosen: string[] } | { decision: 'decline' };

/**
 * - `raise`: go on; `limit` takes the place of the limit that is used up, and is above what is spent. It counts for
 *   this run, for this conversation from now on, or (`always`) wherever the budget is set.
 * - `stop`: the run ends
 */
export type BudgetAnswer =
  | { decision: 'raise'; limit: number; scope?: 'run' | 'conversation' | 'always' }
  | { decision: 'stop' };

/** `tab_here`: a tab that has the tool is open now. */
export type TabAnswer = { decision: 'tab_here' } | { decision: 'decline' };

/** What a person said to an interrupt; which ones fit, its kind says. */
export type InterruptAnswer =
  | ApprovalAnswer
  | InDoubtAnswer
  | ElicitationAnswer
  | SamplingDecision
  | SignInAnswer
  | PromptAnswer
  | SelectionAnswer
  | BudgetAnswer
  | TabAnswer;

const DECISIONS: Record<Interrupt['kind'], readonly InterruptAnswer['decision'][]> = {
  approval: ['approve', 'refuse'],
  in_doubt: ['repeat', 'failed', 'result'],
  elicitation: ['accept', 'decline', 'cancel'],
  sampling: ['allow', 'decline'],
  sign_in: ['signed_in', 'decline'],
  prompt: ['say', 'decline'],
  selection: ['choose', 'decline'],
  budget: ['raise', 'stop'],
  tab: ['tab_here', 'decline'],
};

/** The decisions an interrupt of this kind takes. */
export function decisionsFor(kind: Interrupt['kind']): readonly InterruptAnswer['decision'][] {
  return DECISIONS[kind];
}
