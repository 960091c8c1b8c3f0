export function ensureInstalled(options: {
  root: string;
  forDevelopment: boolean;
  say: (text: string) => void;
}): boolean;

export function pinnedNode(root: string): string | null;
