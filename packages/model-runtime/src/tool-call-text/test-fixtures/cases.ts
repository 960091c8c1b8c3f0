import { readFileSync } from 'node:fs';
import { parseJson, type JsonObject } from '@toolyard/protocol';
import { TOOL_CALL_FAMILIES, type ToolCallFamilyName } from '../formats.ts';
import type { TextCallPart, TextCallTool } from '../types.ts';

/**
 * A case of `cases.jsonl`. `checks` lists what its source did not assert; `policy` marks cases on which engines differ.
 */
export type Case = {
  id: string;
  family: ToolCallFamilyName;
  input: string;
  expect: {
    content: string | null;
    reasoning?: string;
    tool_calls: { name: string; arguments: JsonObject }[];
  };
  tools?: { function: { name: string; parameters?: JsonObject } }[];
  checks?: Record<string, string>;
  policy?: string[];
  chunks?: string[];
  starts_in_reasoning?: boolean;
};

/** All cases, from the file next to this one. */
export function readCases(): Case[] {
  const lines = readFileSync(new URL('cases.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const parsed = parseJson(line);
    if (!parsed.ok) throw new Error(`cases.jsonl: ${parsed.problem}`);
    const one = parsed.value as Case;
    if (!TOOL_CALL_FAMILIES.includes(one.family)) throw new Error(`cases.jsonl: no family ${String(one.family)}`);
    return one;
  });
}

/** The offered tools of a case. */
export function toTools(one: Case): TextCallTool[] {
  return (one.tools ?? []).map(({ function: tool }) => ({ name: tool.name, inputSchema: tool.parameters ?? {} }));
}

/** The actual result of a case. `shown` is the text including the raw text of malformed calls. */
export type Outcome = {
  content: string;
  shown: string;
  reasoning: string;
  calls: { name: string; arguments: JsonObject }[];
};

/** Reduces parts to the fields of a case. */
export function toOutcome(parts: readonly TextCallPart[]): Outcome {
  const outcome: Outcome = { content: '', shown: '', reasoning: '', calls: [] };
  for (const part of parts) {
    switch (part.type) {
      case 'text':
        outcome.content += part.text;
        outcome.shown += part.text;
        break;
      case 'reasoning':
        outcome.reasoning += part.text;
        break;
      case 'tool_call':
        outcome.calls.push({ name: part.name, arguments: part.arguments });
        break;
      case 'malformed_tool_call':
        outcome.shown += part.raw;
        break;
    }
  }
  return outcome;
}

/** Outcomes are compared without whitespace, which engines trim differently. */
export function folded(text: string | null | undefined): string {
  return (text ?? '').trim().replace(/\s+/gu, ' ');
}
