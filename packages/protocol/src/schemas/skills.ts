import { z } from 'zod';
import { existingId, named, namedObject, textTemplates } from './common.ts';

const skillSource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('data') }),
  z.strictObject({ kind: z.literal('workspace'), path: z.string() }),
  z.strictObject({ kind: z.literal('server'), serverId: z.string() }),
]);
/** Where a skill is: the folder `skills` of the data folder, a workspace, or an MCP server. */
export type SkillSource = z.output<typeof skillSource>;

const skillFields = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  source: skillSource,
  /**
   * - `on`: models can read it
   * - `off`: the user has not switched it on
   * - `changed`: it was on and its files have changed since; off until the user confirms them
   * - `shadowed`: on, but another skill of this name takes precedence
   */
  state: z.enum(['on', 'off', 'changed', 'shadowed']),
  /** SHA-256 over all files: `sha256:` and 64 hexadecimal digits. */
  digest: z.string(),
  /** The digest that the user switched on; null: none. */
  confirmedDigest: z.string().nullable(),
  files: z.array(z.strictObject({ path: z.string(), size: z.int() })),
  license: z.string().exactOptional(),
  compatibility: z.string().exactOptional(),
  metadata: z.record(z.string(), z.string()),
  /** What the skill asks to use. It is shown and has no effect. */
  allowedTools: z.array(z.string()),
  /** It is on, but not in the list that models receive, for lack of space. */
  leftOut: z.boolean(),
};

export const skillView = namedObject('SkillView', skillFields);
export type SkillView = z.output<typeof skillView>;

const skillProblem = namedObject('SkillProblem', {
  source: skillSource,
  /** Its folder, or its URI on a server; empty: all skills of the source. */
  place: z.string(),
  reason: z.string(),
  templates: textTemplates.exactOptional(),
  /** Line in `SKILL.md`. */
  line: z.int().exactOptional(),
});
/** A skill that cannot be used, and why. */
export type SkillProblem = z.output<typeof skillProblem>;

export const skillList = namedObject('SkillList', {
  items: z.array(skillView),
  problems: z.array(skillProblem),
  /** The folder for skills of the user. */
  folder: z.string(),
  /** The workspace whose skills are listed. */
  workspace: z.string().nullable(),
});
export type SkillList = z.output<typeof skillList>;

export const skillDetail = namedObject('SkillDetail', { ...skillFields, text: z.string() });
/** A skill and the text of its `SKILL.md`. */
export type SkillDetail = z.output<typeof skillDetail>;

export const skillFile = namedObject('SkillFile', {
  path: z.string(),
  size: z.int(),
  /** Null if it is not text, or larger than 1 MB. */
  text: z.string().nullable(),
});
export type SkillFile = z.output<typeof skillFile>;

/** The conversation whose workspace and servers count; default: those of the defaults. */
const conversation = existingId.exactOptional();
export const skillQuery = z.object({ conversation });
export const skillFileQuery = z.object({ conversation, path: z.string().min(1).max(1_000) });

export const switchSkillBody = named(
  'SwitchSkill',
  z.discriminatedUnion('enabled', [
    z.strictObject({ enabled: z.literal(false), conversation }),
    /** `digest` is what the user was shown. */
    z.strictObject({ enabled: z.literal(true), digest: z.string().max(100), conversation }),
  ]),
);
export type SwitchSkill = z.output<typeof switchSkillBody>;
