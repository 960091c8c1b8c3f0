import type { Message, ToolMessage, UserMessage, AssistantMessage } from '@toolyard/protocol';
import { toolRun } from './messages.ts';

/** A turn of one role: JSON of each of its blocks. */
export type MessageTurn<Role extends string> = { role: Role; blocks: string[] };

/** How a wire serializes messages: as JSON of blocks, each message once. */
export type BlockWriter = {
  user(message: UserMessage): readonly string[];
  assistant(message: AssistantMessage): readonly string[];
  /** All results of one answer, which must be together. */
  results(run: readonly ToolMessage[]): readonly string[];
};

/** The conversation as alternating turns: consecutive messages of one role are merged. System messages are separate. */
export function toTurns<Model extends string>(
  messages: readonly Message[],
  modelRole: Model,
  write: BlockWriter,
): MessageTurn<'user' | Model>[] {
  const turns: MessageTurn<'user' | Model>[] = [];
  const add = (role: 'user' | Model, blocks: readonly string[]): void => {
    if (blocks.length === 0) return;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  };
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    switch (message?.role) {
      case 'user':
        add('user', write.user(message));
        break;
      case 'assistant':
        add(modelRole, write.assistant(message));
        break;
      case 'tool': {
        const run = toolRun(messages, at);
        add('user', write.results(run));
        at += run.length - 1;
        break;
      }
      case 'system':
      case undefined:
        break;
    }
  }
  return turns;
}

/**
 * Turns as JSON. `mark`: changes the blocks of the last and the second to last turn of the user, up to which the server
 * caches the conversation.
 */
export function turnsJson(
  turns: readonly MessageTurn<'user' | 'assistant'>[],
  mark: ((blocks: readonly string[]) => readonly string[]) | null,
): string {
  const marked = mark === null ? [] : turns.filter(({ role }) => role === 'user').slice(-2);
  const written = turns.map((turn) => {
    const blocks = mark !== null && marked.includes(turn) ? mark(turn.blocks) : turn.blocks;
    return `{"role":"${turn.role}","content":[${blocks.join(',')}]}`;
  });
  return written.join(',');
}
