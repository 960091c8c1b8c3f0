import type { AgentConfiguration, CreateGroup, Interrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import type { ModelMessage } from '../support/server-instances.ts';

/** A conversation that always has the same transcript, with everything it takes. */
export type Scenario = {
  name: string;
  /** Of the conversation, besides its model. */
  configuration: AgentConfiguration;
  /** The context window of the model, in tokens; absent: larger than the conversation. */
  contextWindow?: number;
  /** Absent: the tool counts. Gets the file that exists once `call` of {@link Scenario.steers} was sent. */
  tools?: (file: string) => McpBehaviour;
  /** All but the first wait in the queue while those before are in progress. */
  userMessages: readonly string[];
  /** Sent to the run in progress, before the interrupt is answered or the first call ends. */
  steers: readonly { during: Interrupt['kind'] | 'call'; text: string }[];
  /** It delegates tasks: the model asks for `delegate_task`, and the user answers the interrupts of sub-agents too. */
  delegates?: true;
  /** It takes place in the conversation of this group; the agents are its members. */
  group?: { agents: readonly { id: string; title: string }[]; group: CreateGroup };
  /** By the messages alone, so that the model answers the same however often it is asked. */
  script: (messages: readonly ModelMessage[]) => ModelReply;
};
