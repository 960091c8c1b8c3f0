import type { WireName } from '@toolyard/protocol';

/** What the flags that choose models and servers say. */
export type ConnectionFlags = {
  baseUrl?: string;
  apiKey?: string;
  model?: string;
  /** The id of a known provider. */
  provider?: string;
  wire?: WireName;
  mcp: string[];
  mcpConfig?: string;
  /** False with `--no-date`. */
  date: boolean;
};

export type ChatFlags = ConnectionFlags & {
  system?: string;
  maxTurns?: number;
  onMaxTurns?: 'answer' | 'error';
  allow: string[];
  toolMode?: 'native' | 'text';
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  stop: string[];
  seed?: number;
  json?: boolean;
  /** True without an address: the server of the data folder. */
  server?: string | true;
  token?: string;
  dataDir?: string;
  conversation?: string;
  wait?: number;
};

export type DoctorFlags = ConnectionFlags & { json?: boolean };
