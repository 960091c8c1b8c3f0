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

/** What a process says of a server it has: how it is, and what it offers. */
export type ServerCatalogue = {
  health: ServerHealth;
  tools: readonly ListedTool[];
  /** By the names of tools: how they differ from what was approved. */
  changes: Readonly<Record<string, ToolChange>>;
  /** By the names of tools: what stands for them as they are. */
  definitions: Readonly<Record<string, string>>;
  resources: readonly ListedResource[];
  templates: readonly ListedTemplate[];
  prompts: readonly ListedPrompt[];
};

/** Lines of its log that others see. */
const LOG_LINES = 50;

/** Nothing in it tells a secret of the server's configuration. Undefined for a server that is not there. */
export function catalogueOf(host: McpHost, id: string, redact: (text: string) => string): ServerCatalogue | undefined {
  const found = host.health().find((each) => each.id === id);
  if (found === undefined) return undefined;
  const { error, log, signIn, ...health } = found;
  const offered = host.offered(id);
  const changes = offered.tools.flatMap(({ name }) => {
    const change = host.trust.changeOf({ serverId: id, name });
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
      offered.tools.flatMap(({ name }) => {
        const definition = host.definitionOf({ serverId: id, name });
        return definition === undefined ? [] : [[name, definition] as const];
      }),
    ),
    ...offered,
  };
}

/** What another process has written, perhaps one of another version. Undefined for what is no catalogue. */
export function readCatalogue(text: string | null): ServerCatalogue | undefined {
  const parsed = parseJson(text ?? '');
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { health, changes, definitions, tools, resources, templates, prompts } = parsed.value;
  if (!isJsonObject(health) || !isJsonObject(changes) || !isJsonObject(definitions)) return undefined;
  if (![tools, resources, templates, prompts].every(Array.isArray)) return undefined;
  return parsed.value as unknown as ServerCatalogue;
}
