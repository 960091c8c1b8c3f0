/**
 * Where an agent stores its conversation and its run, so that another process can continue both: one text, replaced
 * after every step. Only one agent may use a store at a time.
 *
 * @example
 * const store: AgentStore = {
 *   load: () => localStorage.getItem('agent'),
 *   save: (text) => localStorage.setItem('agent', text),
 * };
 */
export type AgentStore = {
  /** The text that was saved last; null if nothing was saved. */
  load(): string | null | Promise<string | null>;
  /** Resolves once the text would survive a crash. If it rejects, the run fails. */
  save(text: string): void | Promise<void>;
};
