export type { WireName } from '@toolyard/protocol';
