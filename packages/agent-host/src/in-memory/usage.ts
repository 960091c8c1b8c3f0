import type { Budget, Clock, Spent, UsageEntry } from '@toolyard/protocol';
import { addSpent, budgetKey, formatToolReference, ZERO_SPENT } from '@toolyard/protocol';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Usage of an agent in this process, for its budgets. */
export class MemoryUsage {
  readonly #clock: Clock;
  readonly #spent = new Map<string, Spent>();
  #day = -1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resets the usage of the conversation. */
  clear(): void {
    this.#spent.delete('conversation');
  }

  add(entry: UsageEntry): void {
    this.#beginDay();
    for (const { budget, spent } of countsTowards(entry)) {
      const key = budgetKey(budget);
      this.#spent.set(key, addSpent(this.#spent.get(key) ?? ZERO_SPENT, spent));
    }
  }

  spent(budget: Budget): Spent {
    this.#beginDay();
    return this.#spent.get(budgetKey(budget)) ?? ZERO_SPENT;
  }

  #beginDay(): void {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    if (day === this.#day) return;
    this.#day = day;
    const conversation = this.#spent.get('conversation');
    this.#spent.clear();
    if (conversation) this.#spent.set('conversation', conversation);
  }
}

function countsTowards(entry: UsageEntry): { budget: Budget; spent: Spent }[] {
  if (entry.kind === 'tool') {
    const tool = formatToolReference(entry.tool);
    return [{ budget: { of: 'tool', tool }, spent: { ...ZERO_SPENT, calls: 1 } }];
  }
  const { providerId, modelId, usage, cost, tool } = entry;
  const spent: Spent = {
    dollars: cost ?? 0,
    tokens: (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    calls: 1,
    unpriced: cost === null ? 1 : 0,
  };
  const model = `${providerId}/${modelId}`;
  const budgets: Budget[] = [{ of: 'conversation' }, { of: 'day' }, { of: 'agent' }, { of: 'model', model }];
  // For a tool, `calls` counts its own calls; tokens and dollars are those of its server's sampling.
  const asked = tool
    ? [{ budget: { of: 'tool', tool: formatToolReference(tool) } as const, spent: { ...spent, calls: 0 } }]
    : [];
  return [...budgets.map((budget) => ({ budget, spent })), ...asked];
}
