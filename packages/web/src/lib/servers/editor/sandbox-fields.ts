import type { McpResourceLimits, McpSandbox } from '@toolyard/protocol';

/** The sandbox settings of a form: paths one per line, and the network access. */
type SandboxFields = {
  sandbox: boolean;
  readPaths: string;
  writePaths: string;
  network: 'on' | 'hosts' | 'off';
  hosts: string;
  browser: boolean;
  /** Kept as they are: only `mcp.json` and the API set them. */
  limits: McpResourceLimits | undefined;
};

/** The form values for a stored sandbox; absent means none. */
export function sandboxFields(given: boolean | McpSandbox | undefined): SandboxFields {
  const { read = [], write = [], network = 'on', profile, limits } = typeof given === 'object' ? given : {};
  return {
    sandbox: given !== undefined && given !== false,
    readPaths: read.join('\n'),
    writePaths: write.join('\n'),
    network: Array.isArray(network) ? 'hosts' : network,
    hosts: Array.isArray(network) ? network.join('\n') : '',
    browser: profile === 'browser',
    limits,
  };
}

export function toSandbox(fields: SandboxFields): boolean | McpSandbox {
  if (!fields.sandbox) return false;
  const read = splitLines(fields.readPaths);
  const write = splitLines(fields.writePaths);
  const settings: McpSandbox = {
    ...(read.length === 0 ? {} : { read }),
    ...(write.length === 0 ? {} : { write }),
    ...(fields.network === 'on' ? {} : { network: fields.network === 'off' ? 'off' : splitLines(fields.hosts) }),
    ...(fields.browser ? { profile: 'browser' } : {}),
    ...(fields.limits === undefined ? {} : { limits: fields.limits }),
  };
  return Object.keys(settings).length === 0 ? true : settings;
}

/** The paths of a field, extended by these. */
export function withPaths(text: string, paths: readonly string[]): string {
  return [...new Set([...splitLines(text), ...paths])].join('\n');
}

export function splitLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
