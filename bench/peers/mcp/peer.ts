import type { JsonObject } from '../../../packages/protocol/src/index.ts';

/** Where one peer runs: what its entry and its call may name. */
export type Stage = {
  /** A folder of this peer. */
  folder: string;
  /** A web page on this machine, with the text {@link PAGE_TEXT}. */
  pageUrl: string;
  /** A real Chromium; null where none runs on this machine. */
  chromium: Chromium | null;
  /** The MCP server behind `mcp-proxy`; null without Python. */
  proxiedUrl: string | null;
};

export type Chromium = { executablePath: string; env: Record<string, string>; folders: string[] };

export const PAGE_TEXT = 'The tide turns at noon';

/** An entry as a user writes it into `mcp.json`. */
type Entry = { command: string; args: string[]; env?: Record<string, string>; cwd?: string; sandbox: JsonObject };

export type Peer = {
  id: string;
  /** With its version. */
  package: string;
  from: 'npm' | 'PyPI';
  entry(stage: Stage): Entry;
  call: {
    tool: string;
    arguments(stage: Stage): JsonObject;
    /** What the text of the result must contain. */
    expects: RegExp;
    /** Set where the call cannot succeed everywhere: an API key or the internet is needed. */
    needs?: string;
  };
  /** What must be there before it starts: files in its folder. */
  prepare?(stage: Stage): void;
  /** Why it cannot be tried on this stage. */
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
