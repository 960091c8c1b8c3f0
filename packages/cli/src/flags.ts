import type { WireName } from '@toolyard/protocol';

/** Flags that choose the model and the MCP servers. */
export type ConnectionFlags = {
  baseUrl?: string;
  apiKey?: string;
  model?: string;
  /** ID of a provider preset. */
  provider?: string;
  apiFormat?: WireName;
  mcp: string[];
  mcpConfig?: string;
  /** False with `--no-date`. */
  date: boolean;
};

export type ChatFlags = ConnectionFlags & {
  system?: string;
  /** The folder of the chat. */
  workspace?: string;
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
  /** True without a URL: the server of the data folder. */
  server?: string | true;
  token?: string;
  dataDir?: string;
  conversation?: string;
  /** Name or ID of an agent of the server. */
  agent?: string;
  /** Name or ID of a group of the server. */
  group?: string;
  /** Seconds. */
  reconnectTimeout?: number;
};

export type DoctorFlags = ConnectionFlags & { json?: boolean };
