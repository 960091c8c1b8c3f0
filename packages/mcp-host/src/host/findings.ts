import type { JsonObject, JsonValue, McpFinding, McpTestReport, TranslatableText } from '@toolyard/protocol';
import { defined, isJsonObject, nameShape, showName, say, withTemplates } from '@toolyard/protocol';
import { definitionTokens } from '../catalogue/definition-cost.ts';
import type { IndexedTool, ServerHealth } from '../types.ts';

const SLOW_LIST_MS = 2_000;
const SLOW_CONNECT_MS = 10_000;
const LONG_DESCRIPTION = 2_000;
/** The tool limit of some providers per request. */
const MANY_TOOLS = 128;
const MANY_TOKENS = 10_000;
const COSTLY_TOKENS = 2_000;
/** A server with thousands of tools may repeat the same fault thousands of times. */
const FINDINGS_KEPT = 200;

/** Invisible characters and marks that reorder visible text. */
const HIDDEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** Log warnings that are reported as findings of a tool already. */
const REPORTED_PER_TOOL = / was skipped: | contains invisible characters/;
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export type InspectedServer = {
  health: ServerHealth;
  tools: readonly IndexedTool[];
  phases: McpTestReport['phases'];
};

/** What the users or the author of a server should know: warnings first. */
export function inspectFindings({ health, tools, phases }: InspectedServer): McpFinding[] {
  const findings = [
    ...health.skipped.map(({ name, reason }) => warning(say`Skipped: ${reason}`, name)),
    ...ofConnection(health, phases),
    ...ofOffer(health, tools),
    ...tools.flatMap(ofTool),
    ...alike(tools),
    ...together(tools),
  ];
  const sorted = [...findings.filter(isWarning), ...findings.filter((each) => !isWarning(each))];
  if (sorted.length <= FINDINGS_KEPT) return sorted;
  return [...sorted.slice(0, FINDINGS_KEPT), note(say`${sorted.length - FINDINGS_KEPT} more findings are not shown.`)];
}

function ofConnection(health: ServerHealth, phases: InspectedServer['phases']): McpFinding[] {
  const findings: McpFinding[] = [];
  const listing = phases.find(({ phase }) => phase === 'listing')?.durationMs ?? 0;
  const total = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (listing > SLOW_LIST_MS) findings.push(warning(say`Listing the tools took ${seconds(listing)}.`));
  if (total - listing > SLOW_CONNECT_MS) findings.push(warning(say`Connecting took ${seconds(total - listing)}.`));
  if (health.protocolVersion === '2024-11-05') {
    findings.push(note(say`The server uses MCP 2024-11-05, the oldest version.`));
  }
  const warnings = health.log.filter(({ level, text }) => level === 'warning' && !REPORTED_PER_TOOL.test(text));
  // A start that is repeated without the probe logs the same again.
  for (const text of new Set(warnings.map((line) => line.text))) findings.push({ level: 'warning', text });
  if (HIDDEN.test(health.instructions ?? ''))
    findings.push(warning(say`The instructions contain invisible characters, which may hide instructions from you.`));
  return findings;
}

function ofOffer(
  { state, resourceCount = 0, promptCount = 0 }: ServerHealth,
  tools: readonly IndexedTool[],
): McpFinding[] {
  if (state !== 'ready') return [];
  const findings: McpFinding[] = [];
  if (tools.length + resourceCount + promptCount === 0)
    findings.push(warning(say`The server offers no tools, resources or prompts.`));
  if (tools.length > MANY_TOOLS) {
    findings.push(
      warning(say`The server offers ${tools.length} tools; some providers accept ${MANY_TOOLS} in all. Disable some.`),
    );
  }
  const tokens = tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);
  if (tokens > MANY_TOKENS) {
    findings.push(warning(say`The tools add about ${tokens} tokens to every request. Disable those you do not use.`));
  }
  return findings;
}

function ofTool(listed: IndexedTool): McpFinding[] {
  const { tool, name, title, description = '', inputSchema, annotations } = listed;
  const about = tool.name;
  const findings: McpFinding[] = [];
  const warn = (text: TranslatableText): unknown => findings.push(warning(text, about));
  const remark = (text: TranslatableText): unknown => findings.push(note(text, about));

  if (!PLAIN_NAME.test(about)) warn(say`Providers do not accept this name; models see it as "${name}".`);
  if (description.trim() === '') warn(say`The tool has no description; a model can only go by its name.`);
  if (description.length > LONG_DESCRIPTION) warn(say`The description has ${description.length} characters.`);
  if (HIDDEN.test(`${about}${title ?? ''}${description}${JSON.stringify(inputSchema)}`)) {
    findings.push(
      warning(say`The definition contains invisible characters, which may hide instructions from you.`, about),
    );
  }
  const tokens = definitionTokens(listed);
  if (tokens > COSTLY_TOKENS) warn(say`The definition adds about ${tokens} tokens to every request.`);
  if (annotations?.readOnly === true && annotations.destructive === true) {
    warn(say`The annotations say both read-only and destructive.`);
  }
  for (const text of ofSchema(inputSchema)) remark(text);
  return findings;
}

function ofSchema(schema: JsonObject): TranslatableText[] {
  const { properties, required } = schema;
  const texts: TranslatableText[] = [];
  const known = isJsonObject(properties) ? Object.entries(properties) : [];
  const undescribed = known.filter(([, one]) => isJsonObject(one) && readText(one['description']) === '');
  const untyped = known.filter(([, one]) => isJsonObject(one) && Object.keys(one).every((key) => ABOUT.has(key)));
  const [only] = undescribed;
  if (undescribed.length > 1) texts.push(say`No description for ${formatNames(undescribed)}.`);
  else if (only !== undefined) texts.push(say`No description for "${only[0]}".`);
  if (untyped.length > 0) texts.push(say`No type for ${formatNames(untyped)}: any value is accepted.`);
  const missing = Array.isArray(required) ? required.filter((one) => !known.some(([name]) => name === one)) : [];
  if (missing.length > 0) texts.push(say`Required but not defined: ${missing.map(String).join(', ')}.`);
  if (refersOutside(schema, 0))
    texts.push(say`The schema refers to an external document, which Toolyard never fetches.`);
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

/** Tools whose names are easily confused. */
function alike(tools: readonly IndexedTool[]): McpFinding[] {
  const groups = new Map<string, IndexedTool[]>();
  for (const each of tools) {
    const shape = nameShape(each.tool.name);
    groups.set(shape, [...(groups.get(shape) ?? []), each]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const names = group.map(({ tool }) => `"${showName(tool.name)}"`).join(' and ');
      return warning(say`The names ${names} are easily confused.`, group[0]?.tool.name);
    });
}

/** Reports a common omission once rather than per tool. */
function together(tools: readonly IndexedTool[]): McpFinding[] {
  const silent = tools.filter(({ annotations }) => annotations === undefined);
  if (silent.length === 0) return [];
  const text =
    silent.length === tools.length
      ? say`No tool has annotations: Toolyard treats them as possibly destructive.`
      : say`${silent.length} tools have no annotations: Toolyard treats them as possibly destructive.`;
  return [note(text)];
}

function formatNames(entries: readonly [string, unknown][]): string {
  const names = entries.map(([name]) => `"${name}"`);
  return names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}

function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function warning(text: TranslatableText, about?: string): McpFinding {
  return withTemplates({ level: 'warning', ...defined({ about }), text });
}

function note(text: TranslatableText, about?: string): McpFinding {
  return withTemplates({ level: 'note', ...defined({ about }), text });
}

function isWarning({ level }: McpFinding): boolean {
  return level === 'warning';
}
