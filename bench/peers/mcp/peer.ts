import type { JsonObject } from '../../../packages/protocol/src/index.ts';

/** Environment of a peer, for its entry and its call. */
export type Stage = {
  /** The folder of this peer. */
  folder: string;
  /** A web page on this machine, with the text {@link PAGE_TEXT}. */
  pageUrl: string;
  /** Chromium; null if it cannot run on this machine. */
  chromium: Chromium | null;
  /** The MCP server behind `mcp-proxy`; null without Python. */
  proxiedUrl: string | null;
};

export type Chromium = { executablePath: string; env: Record<string, string>; folders: string[] };

export const PAGE_TEXT = 'The tide turns at noon';

/** An entry of `mcp.json`. */
type Entry = { command: string; args: string[]; env?: Record<string, string>; cwd?: string; sandbox: JsonObject };

export type Peer = {
  id: string;
  /** Package with version. */
  package: string;
  from: 'npm' | 'PyPI';
  entry(stage: Stage): Entry;
  call: {
    tool: string;
    arguments(stage: Stage): JsonObject;
    /** Expected text of the result. */
    expects: RegExp;
    /** Set if the call needs an API key or the internet. */
    needs?: string;
  };
  /** Creates the files that it needs. */
  prepare?(stage: Stage): void;
  /** Why it cannot be tested on this stage. */
  missing?(stage: Stage): string | null;
};

export const npx = (name: string, ...args: readonly string[]): { command: string; args: string[] } => ({
  command: 'npx',
  args: ['-y', name, ...args],
});

export const uvx = (name: string, ...args: readonly string[]): { command: string; args: string[] } => ({
  command: 'uvx',
  args: [name, ...args],
});
