import type { SpeechFormat } from '@toolyard/model-runtime';
import type { SourceFlags } from '../model-source.ts';

/** Flags of every `toolyard model` command. */
export type AbilityFlags = SourceFlags & { model: string; provider?: string; json?: boolean };

export type EmbedFlags = { dimensions?: number };
export type ImageFlags = { from: string[]; size?: string; count?: number; output?: string };
export type SpeakFlags = {
  voice?: string;
  format?: SpeechFormat;
  speed?: number;
  instructions?: string;
  output?: string;
};
export type TranscribeFlags = { type?: string; language?: string; prompt?: string };
export type ObjectFlags = { schema: string; name?: string; from: string[] };
