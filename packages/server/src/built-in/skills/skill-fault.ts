/** Why a folder is no valid skill, for the user; the line is that in `SKILL.md`. */
export class SkillFault extends Error {
  readonly line: number | undefined;

  constructor(reason: string, line?: number) {
    super(reason);
    this.line = line;
  }
}
