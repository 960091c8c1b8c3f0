import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { TextCallTool } from '../types.ts';

/** The offered tools, by name. If the list is empty, nothing is known and every name is accepted. */
export class OfferedTools {
  readonly #tools: readonly TextCallTool[];
  #byName: ReadonlyMap<string, JsonObject> | null = null;

  constructor(tools: readonly TextCallTool[]) {
    this.#tools = tools;
  }

  /** Built lazily: most answers contain no call. */
  get #schemas(): ReadonlyMap<string, JsonObject> {
    this.#byName ??= new Map(this.#tools.map((tool) => [tool.name, tool.inputSchema]));
    return this.#byName;
  }

  get isEmpty(): boolean {
    return this.#tools.length === 0;
  }

  has(name: string): boolean {
    return this.#schemas.has(name);
  }

  /** True for offered tools; always true if no tools are known. */
  offers(name: string): boolean {
    return this.isEmpty || this.has(name);
  }

  /** True if the text is an offered tool's name or a prefix of one. */
  hasBeginning(text: string): boolean {
    return [...this.#schemas.keys()].some((name) => name.startsWith(text));
  }

  /** The schema of an argument of a tool, or null if unknown. */
  argument(tool: string, name: string): { schema: JsonValue; root: JsonObject } | null {
    const root = this.#schemas.get(tool);
    const properties = root?.['properties'];
    if (root === undefined || !isJsonObject(properties) || !Object.hasOwn(properties, name)) return null;
    return { schema: properties[name] ?? null, root };
  }

  /** False if the tool is known and has no such argument. */
  mayHave(tool: string, name: string): boolean {
    const properties = this.#schemas.get(tool)?.['properties'];
    return !isJsonObject(properties) || Object.hasOwn(properties, name);
  }

  /** The only tool that accepts these arguments; null if none or several do. */
  onlyToolFor(args: JsonObject): string | null {
    const matching = [...this.#schemas].filter(([, schema]) => fits(args, schema));
    return matching.length === 1 ? (matching[0]?.[0] ?? null) : null;
  }
}

function fits(args: JsonObject, schema: JsonObject): boolean {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const known = Object.keys(args).every((key) => Object.hasOwn(properties, key));
  return known && required.every((key) => typeof key === 'string' && Object.hasOwn(args, key));
}
