import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFlags } from '../../packages/server/src/config/serve-flags.ts';
import { ROOT } from '../run.ts';
import { code, table } from './table.ts';

/** Variables that are not those of a flag of `serve`; {@link undocumentedVariables} compares them with the sources. */
const VARIABLES: Readonly<Record<string, string>> = {
  TOOLYARD_SECRET:
    'Passphrase that encrypts stored API keys and tokens, at least 16 characters; required with a database',
  TOOLYARD_SECRET_OLD: 'The former passphrase, for the start at which it changes',
  TOOLYARD_COMMAND: 'How users call the CLI, in commands that Toolyard prints; `npm start` of a checkout sets it',
  TOOLYARD_DEBUG: 'Any value: the CLI prints the stack of unexpected errors',
  OPENAI_BASE_URL: 'Base URL of a model server with the API of OpenAI',
  OPENAI_API_KEY: 'Its API key, or that of OpenAI',
  HTTPS_PROXY: 'Proxy for the network of sandboxed servers, as are `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`',
  AWS_ACCESS_KEY_ID: 'Credentials of the bucket of `--blobs-url`, and of Amazon Bedrock without a stored key',
  AWS_SECRET_ACCESS_KEY: 'The same',
  AWS_SESSION_TOKEN: 'The same, if the credentials are temporary',
  AWS_REGION: 'Region of the bucket, if its URL has none',
  GOOGLE_APPLICATION_CREDENTIALS: 'File with credentials for Vertex AI without a stored key',
  CLOUDSDK_CONFIG: 'Folder of the gcloud CLI, whose credentials Vertex AI uses otherwise',
  TOOLYARD_SEARCH_KEY: 'API key for `toolyard search-engine set`',
  TOOLYARD_SMTP_URL:
    'Mail server for notifications of schedules: `smtps://user:password@host`, or `smtp://` with STARTTLS ([schedules](../schedules.md))',
  TOOLYARD_EMAIL_FROM: 'Sender of these e-mails',
  TOOLYARD_EMAIL_TO: 'Their recipients, separated by commas',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'Base URL of an OpenTelemetry collector; traces are sent to `/v1/traces` (HTTP, JSON)',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'Complete URL for traces',
  OTEL_EXPORTER_OTLP_HEADERS: 'Headers of these requests: `name=value,name=value`',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'The same, for traces only',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: '`true`: spans contain messages, arguments and results',
  OTEL_RESOURCE_ATTRIBUTES: 'Attributes of all spans: `name=value,name=value`',
  OTEL_SDK_DISABLED: '`true`: sends no traces',
  OTEL_SERVICE_NAME: 'Name of the service in traces; default `toolyard`',
  OTEL_TRACES_EXPORTER: '`none`: sends no traces',
  NO_COLOR: 'Any value: no colors in the terminal',
  XDG_DATA_HOME: 'Parent of the data folder on Linux; default `~/.local/share`',
  XDG_CACHE_HOME: 'Parent of the cache, which contains home folders of sandboxed servers; default `~/.cache`',
};

/** Read to find out about the machine, or passed on to launchers; nothing to configure in Toolyard. */
const NOT_CONFIGURATION = [
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'SSH_CONNECTION', 'TERM', 'PATH', 'APPDATA', 'LOCALAPPDATA', 'HOME'],
  ...['XDG_CONFIG_HOME'],
  ...['NPM_CONFIG_USERCONFIG', 'PIP_CONFIG_FILE', 'UV_CONFIG_FILE'],
];

/** The environment variables that Toolyard reads, besides those of providers. */
export function environmentReference(): string {
  const flags = serveFlags().flatMap(([, { env, flag, no, help }]) =>
    env === undefined
      ? []
      : [
          [
            code(env),
            `Flag ${code(help === undefined && no !== undefined ? `--no-${flag}` : `--${flag}`)} of [serve](serve.md)`,
          ],
        ],
  );
  const others = Object.entries(VARIABLES).map(([name, meaning]) => [code(name), meaning]);
  return `# Environment variables

API keys of providers have variables of their own: [providers](providers.md). \`mcp.json\` and \`config.json\` can refer to any variable
as \`\${env:NAME}\`.

${table(['variable', 'meaning'], [...others, ...flags])}
`;
}

/** Variables that a package reads and the reference does not name. */
export function undocumentedVariables(): string[] {
  const documented = [...Object.keys(VARIABLES), ...NOT_CONFIGURATION, ...serveFlags().map(([, { env }]) => env)];
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts', '**/test-fixtures/**'] });
  const read = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\benv\[?['.]([A-Z][A-Z0-9_]{3,})\b/g)].map(
      ([, name = '']) => name,
    ),
  );
  return [...new Set(read)].filter((name) => !documented.includes(name)).toSorted();
}
