import type { JsonObject, JsonValue, McpFinding, McpTestReport } from '@toolyard/protocol';
import { defined, isJsonObject } from '@toolyard/protocol';
import { definitionTokens } from '../catalogue/definition-cost.ts';
import type { IndexedTool, ServerHealth } from '../types.ts';

const SLOW_LIST_MS = 2_000;
const SLOW_CONNECT_MS = 10_000;
const LONG_DESCRIPTION = 2_000;
/** What some providers take at most in one request. */
const MANY_TOOLS = 128;
const MANY_TOKENS = 10_000;
const COSTLY_TOKENS = 2_000;
/** A server with thousands of tools has the same fault thousands of times. */
const FINDINGS_KEPT = 200;

/** Characters nobody sees, and marks that reorder what is seen. */
const HIDDEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** Warnings of the log that are findings about a tool already. */
const TOLD_ELSEWHERE = / is set aside: | holds invisible characters/;
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type InspectedServer = {
  health: ServerHealth;
  tools: readonly IndexedTool[];
  phases: McpTestReport['phases'];
};

/** What the users of a server, or its author, should know of it: faults first. */
export function inspectFindings({ health, tools, phases }: InspectedServer): McpFinding[] {
  const findings = [
    ...health.skipped.map(({ name, reason }) => warning(`It is set aside: ${reason}`, name)),
    ...ofConnection(health, phases),
    ...ofOffer(health, tools),
    ...tools.flatMap(ofTool),
    ...alike(tools),
    ...together(tools),
  ];
  const sorted = [...findings.filter(isWarning), ...findings.filter((each) => !isWarning(each))];
  if (sorted.length <= FINDINGS_KEPT) return sorted;
  return [...sorted.slice(0, FINDINGS_KEPT), note(`There are ${sorted.length - FINDINGS_KEPT} more findings.`)];
}

function ofConnection(health: ServerHealth, phases: InspectedServer['phases']): McpFinding[] {
  const findings: McpFinding[] = [];
  const listing = phases.find(({ phase }) => phase === 'listing')?.durationMs ?? 0;
  const whole = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (listing > SLOW_LIST_MS) findings.push(warning(`Listing its tools took ${seconds(listing)}.`));
  if (whole - listing > SLOW_CONNECT_MS) findings.push(warning(`Connecting took ${seconds(whole - listing)}.`));
  if (health.protocolVersion === '2024-11-05') {
    findings.push(note('It speaks MCP of November 2024, the oldest there is.'));
  }
  for (const { level, text } of health.log) {
    if (level === 'warning' && !TOLD_ELSEWHERE.test(text)) findings.push(warning(text));
  }
  if (HIDDEN.test(health.instructions ?? '')) findings.push(hidden('Its instructions hold'));
  return findings;
}

function ofOffer(
  { state, resourceCount = 0, promptCount = 0 }: ServerHealth,
  tools: readonly IndexedTool[],
): McpFinding[] {
  if (state !== 'ready') return [];
  const findings: McpFinding[] = [];
  if (tools.length + resourceCount + promptCount === 0) findings.push(warning('It offers nothing at all.'));
  if (tools.length > MANY_TOOLS) {
    findings.push(
      warning(`It offers ${tools.length} tools; some providers take ${MANY_TOOLS} in all. Switch some off.`),
    );
  }
  const tokens = tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
  if (tokens > MANY_TOKENS) {
    findings.push(warning(`Its tools cost about ${tokens} tokens in every request. Switch off what is not used.`));
  }
  return findings;
}

function ofTool(listed: IndexedTool): McpFinding[] {
  const { tool, name, title, description = '', inputSchema, annotations } = listed;
  const about = tool.name;
  const findings: McpFinding[] = [];
  const warn = (text: string): unknown => findings.push(warning(text, about));
  const remark = (text: string): unknown => findings.push(note(text, about));

  if (!PLAIN_NAME.test(about)) warn(`Models cannot write its name; they know it as "${name}".`);
  if (description.trim() === '') warn('It has no description: a model has only its name to go by.');
  if (description.length > LONG_DESCRIPTION) warn(`Its description has ${description.length} characters.`);
  if (HIDDEN.test(`${about}${title ?? ''}${description}${JSON.stringify(inputSchema)}`)) {
    findings.push(hidden('Its definition holds', about));
  }
  const tokens = definitionTokens(listed);
  if (tokens > COSTLY_TOKENS) warn(`Its definition costs about ${tokens} tokens in every request.`);
  if (annotations?.readOnly === true && annotations.destructive === true) {
    warn('It calls itself read-only and destructive at once.');
  }
  for (const text of ofSchema(inputSchema)) remark(text);
  return findings;
}

function ofSchema(schema: JsonObject): string[] {
  const { properties, required } = schema;
  const texts: string[] = [];
  const known = isJsonObject(properties) ? Object.entries(properties) : [];
  const undescribed = known.filter(([, one]) => isJsonObject(one) && textOf(one['description']) === '');
  const untyped = known.filter(([, one]) => isJsonObject(one) && Object.keys(one).every((key) => ABOUT.has(key)));
  if (undescribed.length > 0) texts.push(`No description of ${namesOf(undescribed)}.`);
  if (untyped.length > 0) texts.push(`No type of ${namesOf(untyped)}: anything fits.`);
  const missing = Array.isArray(required) ? required.filter((one) => !known.some(([name]) => name === one)) : [];
  if (missing.length > 0) texts.push(`It requires what it does not describe: ${missing.map(String).join(', ')}.`);
  if (refersOutside(schema, 0)) texts.push('Its schema refers to another document, which is never fetched.');
  return texts;
}

const ABOUT = new Set(['title', 'description', 'default', 'examples']);

function refersOutside(value: JsonValue, depth: number): boolean {
  if (depth > 50) return false;
  if (Array.isArray(value)) return value.some((one) => refersOutside(one, depth + 1));
  if (!isJsonObject(value)) return false;
  const { $ref } = value;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) return true;
  return Object.values(value).some((one) => refersOutside(one, depth + 1));
}

/** Tools whose names a model, or a person, takes for one another. */
function alike(tools: readonly IndexedTool[]): McpFinding[] {
  const groups = new Map<string, IndexedTool[]>();
  for (const each of tools) {
    const plain = each.tool.name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    groups.set(plain, [...(groups.get(plain) ?? []), each]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const names = group.map(({ tool }) => `"${tool.name}"`).join(' and ');
      return warning(`The names ${names} are easily taken for one another.`, group[0]?.tool.name);
    });
}

/** What is usual among its tools is told once. */
function together(tools: readonly IndexedTool[]): McpFinding[] {
  const silent = tools.filter(({ annotations }) => annotations === undefined);
  if (silent.length === 0) return [];
  const which = silent.length === tools.length ? 'None of its tools says' : `${silent.length} of its tools do not say`;
  return [note(`${which} what it may do (annotations): all of them count as possibly harmful.`)];
}

function namesOf(entries: readonly [string, unknown][]): string {
  const names = entries.map(([name]) => `"${name}"`);
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function hidden(what: string, about?: string): McpFinding {
  return warning(`${what} characters nobody can see: they may tell a model what its owner should not read.`, about);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function warning(text: string, about?: string): McpFinding {
  return { level: 'warning', ...defined({ about }), text };
}

function note(text: string, about?: string): McpFinding {
  return { level: 'note', ...defined({ about }), text };
}

function isWarning({ level }: McpFinding): boolean {
  return level === 'warning';
}
