import type { McpTransport } from '@toolyard/protocol';
import type { ServerDraft } from './server-draft.ts';

/**
 * Placeholders of a snippet: `${input:key}` of VS Code, and those that documentation writes instead of a secret:
 * `<YOUR_KEY>`, `your-api-key-here`, `REPLACE_ME`, `xxxxxxxx`.
 */
const GAP =
  /\$\{input:[^}]+\}|<[A-Za-z][\w .-]{0,60}>|\byour[-_ ]?[\w-]*(?:key|token|secret|password|pat|id|path|url|domain|here)[\w-]*\b|\b(?:replace|insert|change|enter|add)[-_](?:me|this|with|your|here)[\w-]*\b|\bx{6,}\b/giu;

/** The distinct placeholders of a server's settings, verbatim. */
export function gapsIn({ transport }: ServerDraft): string[] {
  const gaps = new Set<string>();
  mapTexts(transport, (text) => {
    for (const [gap] of text.matchAll(GAP)) gaps.add(gap);
    return text;
  });
  return [...gaps];
}

/** The server with the entered values; placeholders without a value stay. */
export function fillGaps(draft: ServerDraft, values: Readonly<Record<string, string>>): ServerDraft {
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
      const { args, env, cwd } = transport;
      return {
        ...transport,
        command: map(transport.command),
        ...(args === undefined ? {} : { args: args.map(map) }),
        ...(env === undefined ? {} : { env: all(env) }),
        ...(cwd === undefined ? {} : { cwd: map(cwd) }),
      };
    }
    case 'hosted': {
      const { apiKey } = transport;
      return { ...transport, apiKey: typeof apiKey === 'string' ? map(apiKey) : apiKey };
    }
    case 'plugin': {
      const { url, gateway, settings } = transport;
      return {
        ...transport,
        url: map(url),
        ...(gateway === undefined ? {} : { gateway: map(gateway) }),
        ...(settings === undefined ? {} : { settings: all(settings) }),
      };
    }
    default: {
      const { headers } = transport;
      return { ...transport, url: map(transport.url), ...(headers === undefined ? {} : { headers: all(headers) }) };
    }
  }
}
