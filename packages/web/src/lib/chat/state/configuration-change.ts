import type { AgentConfiguration } from '@toolyard/protocol';

/** Undefined resets a setting to the inherited value. */
export type ConfigurationChange = { [K in keyof AgentConfiguration]?: AgentConfiguration[K] | undefined };

export function withChange(configuration: AgentConfiguration, change: ConfigurationChange): AgentConfiguration {
  const all = Object.entries({ ...configuration, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all);
}
