import { readFileSync } from 'node:fs';
import { parseJson, type JsonObject } from '@toolyard/protocol';
import { TOOL_CALL_FAMILIES, type ToolCallFamilyName } from '../formats.ts';
import type { TextCallPart, TextCallTool } from '../types.ts';

/** One case of `cases.jsonl`. What `checks` names was not asserted by its source; `policy` marks where engines differ. */
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

/** All cases, read from the file beside this one. */
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

/** The tools a case offers. */
export function toolsOf(one: Case): TextCallTool[] {
  return (one.tools ?? []).map(({ function: tool }) => ({ name: tool.name, inputSchema: tool.parameters ?? {} }));
}

/** What a case came out as. `shown` is the text together with what malformed calls are shown as. */
export type Outcome = {
  content: string;
  shown: string;
  reasoning: string;
  calls: { name: string; arguments: JsonObject }[];
};

/** Reduces parts to what cases speak of. */
export function outcomeOf(parts: readonly TextCallPart[]): Outcome {
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

/** Engines trim and fold whitespace differently: outcomes are compared without it. */
export function folded(text: string | null | undefined): string {
  return (text ?? '').trim().replace(/\s+/gu, ' ');
}
