import type { ConversationSummary } from '@toolyard/protocol';

const NAMES = ['pinned', 'today', 'yesterday', 'week', 'older'] as const;
type GroupName = (typeof NAMES)[number];

/** Groups the list under headings, newest first, by calendar days of the user's time zone. Empty groups are omitted. */
export function groupByTime(
  items: readonly ConversationSummary[],
  now: Date,
): { name: GroupName; items: ConversationSummary[] }[] {
  const [today, yesterday, week] = [startOfDay(now, 0), startOfDay(now, 1), startOfDay(now, 7)];
  const getName = ({ pinned, updatedAt }: ConversationSummary): GroupName => {
    if (pinned) return 'pinned';
    if (updatedAt >= today) return 'today';
    if (updatedAt >= yesterday) return 'yesterday';
    return updatedAt >= week ? 'week' : 'older';
  };
  const groups = NAMES.map((name) => ({ name, items: items.filter((item) => getName(item) === name) }));
  return groups.filter((group) => group.items.length > 0);
}

/** Counted by the calendar, because not every day has 24 hours. */
function startOfDay(now: Date, daysAgo: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
}
