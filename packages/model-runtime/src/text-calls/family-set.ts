import type { ToolCallFamily } from './types.ts';

export const THINK = '<think>';
export const THINK_END = '</think>';

/** The families a parser listens for, with what is worked out from them once for all parsers. */
export type FamilySet = {
  families: readonly ToolCallFamily[];
  startMarkers: readonly string[];
  firstCodes: ReadonlySet<number>;
};

export function familySet(families: readonly ToolCallFamily[]): FamilySet {
  const startMarkers = [...new Set(families.flatMap((family) => family.startMarkers))];
  const strays = families.flatMap((family) => family.strayMarkers);
  const markers = [THINK, THINK_END, ...startMarkers, ...strays];
  return { families, startMarkers, firstCodes: new Set(markers.map((text) => text.charCodeAt(0))) };
}
