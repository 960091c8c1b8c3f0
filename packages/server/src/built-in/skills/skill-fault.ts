import type { AnyText } from '@toolyard/protocol';
import { messageText } from '@toolyard/protocol';

/** Why a folder is no valid skill, for the user; the line is that in `SKILL.md`. */
export class SkillFault extends Error {
  readonly text: AnyText;
  readonly line: number | undefined;

  constructor(text: AnyText, line?: number) {
    super(String(text));
    this.text = text;
    this.line = line;
  }
}

export function faultText(thrown: unknown): AnyText {
  return thrown instanceof SkillFault ? thrown.text : messageText(thrown);
}
