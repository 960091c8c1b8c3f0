import type { AddMcpServer, McpTransport } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';

/**
 * Text that stands for a value of the user: `${input:key}` of VS Code, and what documentation writes instead of a secret
 * or a path. The only place that recognizes placeholders; the first that matches at a position counts.
 */
const GAP = new RegExp(
  [
    /\$\{input:[^}]+\}/, // ${input:key}
    /<[a-z][\w .-]{0,60}>/, // <YOUR_KEY>
    /(?<![$\w])\{\{?[a-z][a-z0-9_]*\}?\}/, // {ACCOUNT_ID}, {{key}}
    /(?:[a-z]:)?[.~]{0,2}(?:[\\/][\w.-]+)*[\\/]?\bpath[\\/]to(?:[\\/][^\s"']*|\b)/, // /path/to/your/folder
    /(?:[a-z]:)?[\\/](?:users|home)[\\/](?:user-?_?name|your?[\w-]*|me)(?=[\\/\s"']|$)[^\s"']*/, // /Users/username/Desktop
    /\byour[-_ ]?[\w-]*(?:key|token|secret|password|pat|id|path|url|domain|folder|directory|name|here)[\w-]*\b/, // your-api-key
    /\byour[-_][\w-]+/, // YOUR_VALUE
    /\b(?:replace|insert|change|enter|add|put)[-_]?(?:me|this|with|your|here)[\w-]*\b/, // REPLACE_ME, changeme
    /\b[a-z][\w-]*[-_]here\b/, // API_KEY_HERE
    /\bplaceholder\b/,
    /\b[a-z][\w-]*(?:\.{3,}|…)(?![\w/\\])/, // sk-...
    /(?<![\w.])x{3,}(?![\w.])|x{6,}/, // xxx, sk-xxxxxxxx
    /\*{3,}/, // ***
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

/** The distinct placeholders of a text, verbatim. */
export function listGaps(text: string): string[] {
  return [...new Set(text.match(GAP))];
}

/** The type of a field for a secret: a placeholder or a reference to a variable is shown, since it has to be noticed. */
export function secretInputType(text: string): 'text' | 'password' {
  return text.startsWith('${') || listGaps(text).length > 0 ? 'text' : 'password';
}

/** The distinct placeholders of a server's settings, verbatim. */
export function gapsIn({ transport }: AddMcpServer): string[] {
  const gaps = new Set<string>();
  mapTexts(transport, (text) => {
    for (const gap of listGaps(text)) gaps.add(gap);
    return text;
  });
  return [...gaps];
}

/** The server with the entered values; placeholders without a value stay. */
export function fillGaps(draft: AddMcpServer, values: Readonly<Record<string, string>>): AddMcpServer {
  const fill = (text: string): string =>
    text.replace(GAP, (gap) => {
      const value = values[gap]?.trim() ?? '';
      return value === '' ? gap : value;
    });
  return { ...draft, transport: mapTexts(draft.transport, fill) };
}

/** Maps all texts of a transport except names of headers and variables. */
function mapTexts(transport: McpTransport, map: (text: string) => string): McpTransport {
  const all = <T>(texts: Record<string, T>): Record<string, T | string> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [name, typeof value === 'string' ? map(value) : value]),
    );
  switch (transport.type) {
    case 'stdio': {
      const { command, args, env, cwd } = transport;
      const mapped = defined({ args: args?.map(map), env: env && all(env), cwd: cwd && map(cwd) });
      return { ...transport, command: map(command), ...mapped };
    }
    case 'hosted': {
      const { apiKey } = transport;
      return { ...transport, apiKey: typeof apiKey === 'string' ? map(apiKey) : apiKey };
    }
    case 'plugin': {
      const { url, gateway, settings } = transport;
      const mapped = defined({ gateway: gateway && map(gateway), settings: settings && all(settings) });
      return { ...transport, url: map(url), ...mapped };
    }
    default: {
      const { headers } = transport;
      return { ...transport, url: map(transport.url), ...(headers === undefined ? {} : { headers: all(headers) }) };
    }
  }
}
