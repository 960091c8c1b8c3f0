import type {
  ListedPrompt,
  ListedResource,
  ListedTemplate,
  ListedTool,
  McpHost,
  ServerHealth,
} from '@toolyard/mcp-host';
import { redactedError } from '@toolyard/mcp-host';
import type { ToolChange } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';

/** What a process publishes about a server it hosts: health and capabilities. */
export type ServerCatalogue = {
  health: ServerHealth;
  tools: readonly ListedTool[];
  /** By tool name: differences from the approved definition. */
  changes: Readonly<Record<string, ToolChange>>;
  /** By tool name: hash of the current definition. */
  definitions: Readonly<Record<string, string>>;
  resources: readonly ListedResource[];
  templates: readonly ListedTemplate[];
  prompts: readonly ListedPrompt[];
};

/** Number of log lines published. */
const LOG_LINES = 50;

/** Contains no secret of the server's configuration. Undefined for an unknown server. */
export function findOffers(host: McpHost, id: string, redact: (text: string) => string): ServerCatalogue | undefined {
  const found = host.health().find((each) => each.id === id);
  if (found === undefined) return undefined;
  const { error, log, signIn, ...health } = found;
  const offers = host.offered(id);
  const changes = offers.tools.flatMap(({ name }) => {
    const change = host.trust.findChange({ serverId: id, name });
    return change === undefined ? [] : [[name, change] as const];
  });
  return {
    health: {
      ...health,
      ...(error === undefined ? {} : { error: redactedError(error, redact) }),
      ...(signIn === undefined
        ? {}
        : {
            signIn: {
              ...signIn,
              hops: signIn.hops.map((hop) => ({
                ...hop,
                ...(hop.said === undefined ? {} : { said: redact(hop.said) }),
              })),
            },
          }),
      log: log.slice(-LOG_LINES).map((entry) => ({ ...entry, text: redact(entry.text) })),
    },
    changes: Object.fromEntries(changes),
    definitions: Object.fromEntries(
      offers.tools.flatMap(({ name }) => {
        const definition = host.findDefinition({ serverId: id, name });
        return definition === undefined ? [] : [[name, definition] as const];
      }),
    ),
    ...offers,
  };
}

/** Parses what another process, perhaps of another version, has stored. Undefined if invalid. */
export function readCatalogue(text: string | null): ServerCatalogue | undefined {
  const parsed = parseJson(text ?? '');
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { health, changes, definitions, tools, resources, templates, prompts } = parsed.value;
  if (!isJsonObject(health) || !isJsonObject(changes) || !isJsonObject(definitions)) return undefined;
  if (![tools, resources, templates, prompts].every(Array.isArray)) return undefined;
  return parsed.value as unknown as ServerCatalogue;
}
