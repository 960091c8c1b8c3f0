import type { McpServerView } from '@toolyard/protocol';

const TOPICS = [
  { kind: 'files', pattern: /^(files?|filesystem|fs|folders?|drive|documents?|docs)$/ },
  { kind: 'git', pattern: /^(git|gitlab|gitea|repo|repository)$/ },
  { kind: 'database', pattern: /^(db|database|sql|sqlite|postgres|postgresql|mysql|redis|mongo|mongodb)$/ },
  { kind: 'browser', pattern: /^(browser|playwright|puppeteer|chrome|fetch|web|crawler)$/ },
  { kind: 'search', pattern: /^(search|brave|tavily|exa|kagi)$/ },
  { kind: 'time', pattern: /^(time|date|clock|calendar)$/ },
  { kind: 'mail', pattern: /^(mail|email|gmail|outlook|imap)$/ },
  { kind: 'memory', pattern: /^(memory|notes?|knowledge)$/ },
  { kind: 'map', pattern: /^(maps?|weather|geo|places)$/ },
  { kind: 'shell', pattern: /^(shell|terminal|bash|commands?|ssh)$/ },
] as const;

/** What a server is about, by a word of its name, or how it is reached. */
export type ServerKind = (typeof TOPICS)[number]['kind'] | 'built-in' | 'browser-only' | 'local' | 'remote';

/** What decides about the icon of a server. `entry`: it belongs to this browser, where the user named it. */
export type IconServer = Pick<McpServerView, 'id' | 'builtIn' | 'transport' | 'hasIcon'> & { entry?: { name: string } };

export function serverKind({ id, builtIn, transport, entry }: IconServer): ServerKind {
  if (builtIn) return 'built-in';
  const words = (entry?.name ?? id).toLowerCase().split(/[^a-z]+/);
  const topic = TOPICS.find(({ pattern }) => words.some((word) => pattern.test(word)));
  if (topic !== undefined) return topic.kind;
  if (entry !== undefined) return 'browser-only';
  return transport?.type === 'stdio' ? 'local' : 'remote';
}
