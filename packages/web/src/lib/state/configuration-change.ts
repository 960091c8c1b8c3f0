import type { AgentConfiguration } from '@toolyard/protocol';

/** A value of undefined gives the choice back to the layers below. */
export type ConfigurationChange = { [K in keyof AgentConfiguration]?: AgentConfiguration[K] | undefined };

export function withChange(configuration: AgentConfiguration, change: ConfigurationChange): AgentConfiguration {
  const all = Object.entries({ ...configuration, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all);
}
