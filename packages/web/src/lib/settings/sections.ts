/** The sections of the settings, in their order. */
export const SECTIONS = [
  'general',
  'models',
  'tasks',
  'tools',
  'skills',
  'memory',
  'schedules',
  'permissions',
  'access',
  'usage',
  'about',
] as const;
export type Section = (typeof SECTIONS)[number];

/** The section of an address: by its name, or by a word of it. Null for any other address, which the page says. */
export function findSection(address: string): Section | null {
  const words = address.toLowerCase().split(/[^a-z]+/);
  return SECTIONS.find((one) => one === address) ?? SECTIONS.find((one) => words.includes(one)) ?? null;
}
