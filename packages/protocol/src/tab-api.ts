import type { JsonObject } from './json.ts';
import type { ToolResult } from './parts.ts';
import type { ToolAnnotations, ToolReference } from './tools.ts';

/**
 * How a tab lends the tools of its own MCP servers to runs on the server: it tells what it has (`PUT
 * /api/tabs/{tab}/offers/{conversation}`), shows that it is there (`POST /api/tabs/{tab}/renew`, which also tells what
 * is to be done), claims a call, and brings its result. A tab is one life of a page: one that was loaded anew is
 * another.
 */

/** A tool as its server lists it, told by the tab that reaches the server. Untrusted. */
export type TabTool = {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
};

/** A server of the tab's. */
export type TabServer = {
  /** Begins with `browser-`. */
  id: string;
  /** What stands for the place of it: where it has moved to another, what was approved of its tools does not count. */
  url: string;
  instructions?: string;
  tools: TabTool[];
};

/** The servers a conversation may use of this tab; takes the place of what the tab offered it before. */
export type OfferTabTools = { servers: TabServer[] };

/** A question of the call's server, put to a person by way of the run. The words are the server's own. */
export type TabQuestion =
  | { kind: 'form'; message: string; requestedSchema: JsonObject }
  | { kind: 'url'; message: string; url: string }
  | { kind: 'sampling'; request: JsonObject };

/** What its server is to be told; `refused` where nobody answered. */
export type TabQuestionAnswer =
  | { kind: 'form'; action: 'accept'; content: JsonObject }
  | { kind: 'form'; action: 'decline' | 'cancel' }
  | { kind: 'url'; action: 'accept' | 'decline' | 'cancel' }
  | { kind: 'sampling'; answer: JsonObject }
  | { kind: 'refused' };

/** A call a tab may claim, or has. */
export type TabCallView = {
  callId: string;
  runId: string;
  conversationId: string;
  tool: ToolReference;
  /** True where this tab has claimed it. */
  claimed: boolean;
  /** Answers to what its server asked, by the id of the question. */
  answers: Record<string, TabQuestionAnswer>;
};

/** The call is this tab's from here on, under this fence. */
export type ClaimedTabCall = {
  callId: string;
  fence: number;
  tool: ToolReference;
  arguments: JsonObject;
  /** Stands for the tool as it was told to the run: one that is another by now is not called. */
  definition: string;
};

/** `fence`: as it was claimed. The same result may be brought twice. */
export type FinishTabCall = { fence: number; result: ToolResult };

export type AskFromTab = { fence: number; question: TabQuestion };
