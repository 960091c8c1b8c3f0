import type { JsonObject } from '@toolyard/protocol';

/** How a flag of `toolyard serve` is read, and where else its value can come from. */
export type ServeFlag = {
  /** Without dashes: `port`. */
  flag: string;
  /** Shown by `--help` and in `docs/reference/serve.md`. A boolean without it has only the form `--no-<flag>`. */
  help?: string;
  /** Help of `--no-<flag>`; without it there is no such form. */
  no?: string;
  /** The environment variable that sets it as well; the flag takes precedence. */
  env?: string;
  /** Names of llama.cpp. They work with a deprecation warning; the current name takes precedence. */
  aliases?: { flags?: readonly string[]; env?: readonly string[] };
  /** The key of `config.json` that sets it as well. Flag and variable take precedence; lists and objects are merged. */
  configKey?: string;
  /** Read by the command only: not an option of the server. */
  commandOnly?: true;
} & (
  | { kind: 'boolean'; default?: boolean }
  /** `secret`: other users of the machine can see the arguments of a command. With `no` the value can be null. */
  | { kind: 'text'; value: string; secret?: true; default?: string }
  | { kind: 'integer'; value: string; min: number; max: number; hint: string; default?: number }
  | { kind: 'enum'; value: string; options: readonly string[]; hint: string; default?: string }
  /** Can be given several times. */
  | { kind: 'list'; value: string; default: readonly string[] }
  | { kind: 'json'; value: string; default: JsonObject }
  /** The path of a file that contains a JSON object. */
  | { kind: 'json-file'; value: string }
);

/**
 * The flags of `toolyard serve`, by the name of their option. Parsing, help, variables, keys of `config.json`, validation,
 * defaults, `ServerOptions` and `docs/reference/serve.md` follow from this table.
 */
export const SERVE_FLAGS = {
  port: {
    flag: 'port',
    kind: 'integer',
    value: '<n>',
    help: 'port to listen on; 0 chooses a free one',
    env: 'PORT',
    min: 0,
    max: 65_535,
    hint: 'Use 0 to choose a free one.',
    default: 8710,
  },
  host: {
    flag: 'host',
    kind: 'text',
    value: '<address>',
    help: 'address to listen on',
    env: 'TOOLYARD_HOST',
    default: '127.0.0.1',
  },
  token: {
    flag: 'token',
    kind: 'text',
    value: '<text>',
    help: 'access token; created on first start by default',
    no: 'require no access token; only on this machine',
    env: 'TOOLYARD_TOKEN',
    secret: true,
  },
  dataDir: { flag: 'data-dir', kind: 'text', value: '<folder>', help: 'data folder', env: 'TOOLYARD_DATA_DIR' },
  databaseUrl: {
    flag: 'database-url',
    kind: 'text',
    value: '<url>',
    help: 'store conversations and runs in this PostgreSQL database; several processes can share it',
    env: 'DATABASE_URL',
    secret: true,
  },
  blobsUrl: {
    flag: 'blobs-url',
    kind: 'text',
    value: '<s3://...>',
    help: 'with a database: store files in this bucket',
    env: 'TOOLYARD_BLOBS_URL',
  },
  databaseNotify: {
    flag: 'database-notify',
    kind: 'boolean',
    no: 'with a database: poll once a second instead of using notifications',
    env: 'TOOLYARD_DATABASE_NOTIFY',
    default: true,
  },
  role: {
    flag: 'role',
    kind: 'enum',
    value: '<role>',
    help: 'with a database: role of this process',
    env: 'TOOLYARD_ROLE',
    options: ['all', 'web', 'worker', 'tools'],
    hint: 'Without the flag, the process has all roles.',
    default: 'all',
  },
  internalUrl: {
    flag: 'internal-url',
    kind: 'text',
    value: '<url>',
    help: 'with a database: URL of this process for other processes; default: the address it listens on',
    env: 'TOOLYARD_INTERNAL_URL',
  },
  metrics: {
    flag: 'metrics',
    kind: 'boolean',
    help: 'serve metrics (Prometheus) at /metrics',
    env: 'TOOLYARD_METRICS',
    default: false,
  },
  allowHosts: {
    flag: 'allow-host',
    kind: 'list',
    value: '<name>',
    help: 'additional host name under which this server is reached',
    configKey: 'allowHosts',
    default: [],
  },
  frameOrigin: {
    flag: 'frame-origin',
    kind: 'text',
    value: '<url>',
    help: 'origin for frames with content of models and MCP Apps, such as https://frames.example.com; default: a second port on this machine',
    env: 'TOOLYARD_FRAME_ORIGIN',
  },
  framePort: {
    flag: 'frame-port',
    kind: 'integer',
    value: '<n>',
    help: 'port that serves frames only; default on loopback: a free one',
    env: 'TOOLYARD_FRAME_PORT',
    min: 0,
    max: 65_535,
    hint: 'Use 0 to choose a free one.',
  },
  uiMcpProxy: {
    flag: 'ui-mcp-proxy',
    kind: 'boolean',
    help: 'let the page connect to MCP servers through this server',
    no: 'disable it, even if the environment variable is set',
    env: 'TOOLYARD_UI_MCP_PROXY',
    aliases: { flags: ['webui-mcp-proxy'], env: ['LLAMA_ARG_UI_MCP_PROXY', 'LLAMA_ARG_WEBUI_MCP_PROXY'] },
    default: false,
  },
  proxyAllow: {
    flag: 'proxy-allow',
    kind: 'list',
    value: '<origin>',
    help: 'destination the proxy may connect to: an origin, or "public" for the internet (default)',
    default: [],
  },
  open: { flag: 'open', kind: 'boolean', help: 'open the page in the browser', commandOnly: true },
  mcp: {
    flag: 'mcp',
    kind: 'list',
    value: '<command or url>',
    help: 'MCP server to add; prefix it with name= to name it',
    commandOnly: true,
    default: [],
  },
  mcpConfig: {
    flag: 'mcp-config',
    kind: 'text',
    value: '<file>',
    help: 'mcp.json with servers, in addition to the one in the data folder',
    commandOnly: true,
  },
  titles: {
    flag: 'titles',
    kind: 'boolean',
    no: 'do not let models name conversations',
    env: 'TOOLYARD_TITLES',
    commandOnly: true,
    default: true,
  },
  date: { flag: 'date', kind: 'boolean', no: 'do not add the bundled date server', commandOnly: true, default: true },
  ui: {
    flag: 'ui',
    kind: 'boolean',
    help: 'serve the page',
    no: 'serve the API only',
    env: 'TOOLYARD_UI',
    aliases: { flags: ['webui'], env: ['LLAMA_ARG_UI', 'LLAMA_ARG_WEBUI'] },
    default: true,
  },
  uiSettings: {
    flag: 'ui-config',
    kind: 'json',
    value: '<json>',
    help: 'page settings, such as {"theme":"dark","language":"zh-Hant"}',
    env: 'TOOLYARD_UI_CONFIG',
    aliases: { flags: ['webui-config'], env: ['LLAMA_ARG_UI_CONFIG', 'LLAMA_ARG_WEBUI_CONFIG'] },
    configKey: 'uiSettings',
    default: {},
  },
  uiSettingsFile: {
    flag: 'ui-config-file',
    kind: 'json-file',
    value: '<file>',
    help: 'page settings from a file; --ui-config takes precedence',
    env: 'TOOLYARD_UI_CONFIG_FILE',
    aliases: { flags: ['webui-config-file'], env: ['LLAMA_ARG_UI_CONFIG_FILE', 'LLAMA_ARG_WEBUI_CONFIG_FILE'] },
    commandOnly: true,
  },
} as const satisfies Readonly<Record<string, ServeFlag>>;

type Flags = typeof SERVE_FLAGS;
type ValuesByKind = {
  boolean: boolean;
  text: string;
  integer: number;
  list: readonly string[];
  json: JsonObject;
  'json-file': JsonObject;
};
type ValueOf<F> = F extends { kind: 'enum'; options: readonly (infer Option)[] }
  ? Option
  : F extends { kind: 'text'; no: string }
    ? string | null
    : F extends { kind: infer Kind extends keyof ValuesByKind }
      ? ValuesByKind[Kind]
      : never;

/** The values of flags, by option name. */
export type ServeValues = { [Name in keyof Flags]?: ValueOf<Flags[Name]> };

type CommandOnly = { [Name in keyof Flags]: Flags[Name] extends { commandOnly: true } ? Name : never }[keyof Flags];
type Defaulted = { [Name in keyof Flags]: Flags[Name] extends { default: unknown } ? Name : never }[keyof Flags];
/** The flags that are options of the server. */
export type GivenFlags = Omit<ServeValues, CommandOnly>;
/** Flags with a default always have a value. */
export type ResolvedFlags = GivenFlags & Required<Pick<GivenFlags, Exclude<Defaulted, CommandOnly>>>;

type ConfigKeys = {
  [Name in keyof Flags as Flags[Name] extends { configKey: string } ? Name : never]: Flags[Name] extends {
    configKey: infer Key extends string;
  }
    ? Key
    : never;
};
/** The flags that `config.json` can set, by option name, and by key. */
export type FileFlags = { readonly [Name in keyof ConfigKeys]?: NonNullable<ServeValues[Name]> };
export type FlagsByConfigKey = { [Name in keyof ConfigKeys as ConfigKeys[Name]]: NonNullable<ServeValues[Name]> };

/** The rows of the table. */
export function serveFlags(): [name: keyof Flags, flag: ServeFlag][] {
  return Object.entries(SERVE_FLAGS) as [keyof Flags, ServeFlag][];
}
