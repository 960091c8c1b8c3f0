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
  /** Older names. They work with a deprecation warning; the current name takes precedence. */
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
    help: 'the port; 0 takes any free one',
    env: 'PORT',
    min: 0,
    max: 65_535,
    hint: '0 takes any free one.',
    default: 8710,
  },
  host: {
    flag: 'host',
    kind: 'text',
    value: '<address>',
    help: 'the address to listen on',
    env: 'TOOLYARD_HOST',
    default: '127.0.0.1',
  },
  token: {
    flag: 'token',
    kind: 'text',
    value: '<text>',
    help: 'access token; by default one is created on first start',
    no: 'require no access token; on this machine only',
    env: 'TOOLYARD_TOKEN',
    secret: true,
  },
  dataDir: { flag: 'data-dir', kind: 'text', value: '<folder>', help: 'the data folder', env: 'TOOLYARD_DATA_DIR' },
  databaseUrl: {
    flag: 'database-url',
    kind: 'text',
    value: '<url>',
    help: 'keep conversations and runs in this PostgreSQL database; several processes can share it',
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
    help: 'what this process does, with a database',
    env: 'TOOLYARD_ROLE',
    options: ['all', 'web', 'worker', 'tools'],
    hint: 'Without it the process does everything.',
    default: 'all',
  },
  internalUrl: {
    flag: 'internal-url',
    kind: 'text',
    value: '<url>',
    help: 'with a database: where other processes reach this one; by default where it listens',
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
    help: 'another name that this server is reached by',
    configKey: 'allowHosts',
    default: [],
  },
  uiMcpProxy: {
    flag: 'ui-mcp-proxy',
    kind: 'boolean',
    help: 'let the page reach MCP servers through this one',
    no: 'do not, whatever the variable says',
    env: 'TOOLYARD_UI_MCP_PROXY',
    aliases: { flags: ['webui-mcp-proxy'], env: ['LLAMA_ARG_UI_MCP_PROXY', 'LLAMA_ARG_WEBUI_MCP_PROXY'] },
    default: false,
  },
  proxyAllow: {
    flag: 'proxy-allow',
    kind: 'list',
    value: '<origin>',
    help: 'where that proxy may connect to: an origin, or "public" for the internet (the default)',
    default: [],
  },
  open: { flag: 'open', kind: 'boolean', help: 'open the page in the browser', commandOnly: true },
  mcp: {
    flag: 'mcp',
    kind: 'list',
    value: '<command or url>',
    help: 'an MCP server; [name=] may stand before it',
    commandOnly: true,
    default: [],
  },
  mcpConfig: {
    flag: 'mcp-config',
    kind: 'text',
    value: '<file>',
    help: 'an mcp.json with servers, in addition to the one in the data folder',
    commandOnly: true,
  },
  date: { flag: 'date', kind: 'boolean', no: 'leave out the bundled date server', commandOnly: true, default: true },
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
    help: 'settings of the page, such as {"theme":"dark","language":"zh-Hant"}',
    env: 'TOOLYARD_UI_CONFIG',
    aliases: { flags: ['webui-config'], env: ['LLAMA_ARG_UI_CONFIG', 'LLAMA_ARG_WEBUI_CONFIG'] },
    configKey: 'uiSettings',
    default: {},
  },
  uiSettingsFile: {
    flag: 'ui-config-file',
    kind: 'json-file',
    value: '<file>',
    help: 'the same from a file; --ui-config takes precedence',
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

/** The values that were given, by the name of their option. */
export type ServeValues = { [Name in keyof Flags]?: ValueOf<Flags[Name]> };

type CommandOnly = { [Name in keyof Flags]: Flags[Name] extends { commandOnly: true } ? Name : never }[keyof Flags];
type Defaulted = { [Name in keyof Flags]: Flags[Name] extends { default: unknown } ? Name : never }[keyof Flags];
/** Those that are options of the server. */
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
/** Those that `config.json` has, by the name of their option, and by their key. */
export type FileFlags = { readonly [Name in keyof ConfigKeys]?: NonNullable<ServeValues[Name]> };
export type FlagsByConfigKey = { [Name in keyof ConfigKeys as ConfigKeys[Name]]: NonNullable<ServeValues[Name]> };

/** The rows of the table. */
export function serveFlags(): [name: keyof Flags, flag: ServeFlag][] {
  return Object.entries(SERVE_FLAGS) as [keyof Flags, ServeFlag][];
}
