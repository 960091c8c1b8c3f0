/**
 * The client under test of the official conformance suite: a host built from the public exports of the package.
 */
import type { OAuthSettings, ServerRequestHandlers } from '@toolyard/mcp-host';
import { createMemoryAuthStore, McpHost, readSignInResponse } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { isJsonObject, systemClock, ToolyardError, type JsonObject, type JsonValue } from '@toolyard/protocol';

/** Input of the suite: scenario, URL of its server, and context of the scenario. */
export type ClientScenario = { scenario: string; url: string; context: JsonObject };

/** The tool whose schema a scenario expects the client to return. */
const FOCAL_TOOL = 'json_schema_2020_12_tool';

/** Maximum sign-in attempts. */
const MOST_SIGN_INS = 3;

/** Runs a scenario and logs its progress. */
export async function runClient(given: ClientScenario, say: (line: string) => void): Promise<void> {
  const handlers: ServerRequestHandlers = {
    // Accepts the default values.
    form: async ({ requestedSchema }) => ({
      action: 'accept',
      content: firstChoices(requestedSchema.properties, host),
    }),
    sampling: async () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'none' }),
    roots: () => [{ uri: 'file:///tmp', name: 'tmp' }],
  };
  const host = new McpHost({
    servers: [{ id: 'peer', transport: { type: 'http', url: given.url }, oauth: plannedSignIn(given) }],
    createTransport: createNodeTransports({ fetch }),
    clock: systemClock,
    clientInfo: { name: 'toolyard', version: '0.1.0' },
    handlers,
    signIn: {
      store: createMemoryAuthStore(),
      fetchFor: () => fetch,
      introduction: { name: 'Toolyard', metadataUrl: 'https://conformance-test.local/client-metadata.json' },
    },
    log: (_, { level, text }) => say(`${level}: ${text}`),
  });
  try {
    await signedIn(host, () => host.connect('peer'));
    await useAll(host, given, say);
  } finally {
    await host.close();
  }
}

async function useAll(host: McpHost, given: ClientScenario, say: (line: string) => void): Promise<void> {
  const asked = plannedCalls(given);
  for (const { name, args } of asked ??
    host.tools().map((tool) => ({ name: tool.tool.name, args: sample(tool.inputSchema, host) }))) {
    await signedIn(host, async () => {
      const result = await host.callTool({ serverId: 'peer', name }, args, { timeoutMs: 20_000 });
      say(`${name}: ${JSON.stringify(result)}`);
      if (result.error?.code === 'needs_sign_in') throw new ToolyardError(result.error);
    });
  }
  const { prompts } = await host.getAllPrompts();
  for (const prompt of prompts) await host.getPrompt('peer', prompt.name).catch(() => undefined);
  for (const { uri } of host.resources.resources('peer')) await host.resources.read('peer', uri).catch(() => undefined);
}

/** Repeats an action after signing in, if it requires a sign-in. */
async function signedIn(host: McpHost, attempt: () => Promise<void>, signIns = 0): Promise<void> {
  try {
    if (signIns > 0) await host.connect('peer');
    await attempt();
  } catch (thrown) {
    const isWanted = ToolyardError.isInstance(thrown) && thrown.code === 'needs_sign_in';
    if (!isWanted || signIns >= MOST_SIGN_INS) throw thrown;
    const { authorizationUrl } = await host.signIn('peer', { redirectUrl: 'http://127.0.0.1:8710/callback' });
    const page = await fetch(authorizationUrl, { redirect: 'manual' });
    await host.finishSignIn(readSignInResponse(new URL(page.headers.get('location') ?? '').searchParams));
    await signedIn(host, attempt, signIns + 1);
  }
}

/** The configuration of the server. */
function plannedSignIn({ scenario, context }: ClientScenario): OAuthSettings {
  const text = (key: string): string => {
    const value = context[key];
    return typeof value === 'string' ? value : '';
  };
  const client = {
    clientId: text('client_id'),
    ...(text('client_secret') ? { clientSecret: text('client_secret') } : {}),
  };
  switch (scenario) {
    case 'auth/pre-registration':
      return { ...client, issuer: text('issuer') };
    case 'auth/client-credentials-basic':
      return { ...client, grant: { type: 'client_credentials' } };
    case 'auth/client-credentials-jwt':
      return {
        ...client,
        privateKey: text('private_key_pem'),
        signingAlgorithm: text('signing_algorithm'),
        grant: { type: 'client_credentials' },
      };
    case 'auth/wif-jwt-bearer':
      return { ...client, grant: { type: 'jwt_bearer', assertion: text('valid_jwt') } };
    case 'auth/enterprise-managed-authorization':
      return {
        ...client,
        grant: {
          type: 'enterprise',
          tokenEndpoint: text('idp_token_endpoint'),
          clientId: text('idp_client_id'),
          idToken: text('idp_id_token'),
        },
      };
    default:
      return {};
  }
}

/** Scenarios about headers name the calls they expect. */
function plannedCalls({ context }: ClientScenario): { name: string; args: JsonObject }[] | undefined {
  const calls = context['toolCalls'];
  if (!Array.isArray(calls)) return undefined;
  return calls.flatMap((call) => {
    const name = isJsonObject(call) ? call['name'] : undefined;
    const args = isJsonObject(call) ? call['arguments'] : undefined;
    return typeof name === 'string' ? [{ name, args: isJsonObject(args) ? args : {} }] : [];
  });
}

function sample(schema: JsonObject, host: McpHost): JsonObject {
  const properties = schema['properties'];
  return isJsonObject(properties) ? firstChoices(properties, host) : {};
}

/** A value of the right type for each field without a default. */
function firstChoices(properties: object, host: McpHost): JsonObject {
  return Object.fromEntries(
    Object.entries(properties as JsonObject).flatMap(([name, field]) =>
      isJsonObject(field) && field['default'] === undefined ? [[name, choice(field, host)]] : [],
    ),
  );
}

function choice(field: JsonObject, host: McpHost): JsonValue {
  const [first] = Array.isArray(field['enum']) ? field['enum'] : [];
  if (first !== undefined) return first;
  switch (field['type']) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'object':
      return host.tools().find(({ tool }) => tool.name === FOCAL_TOOL)?.inputSchema ?? {};
    case 'array':
      return [];
    default:
      return 'test';
  }
}
