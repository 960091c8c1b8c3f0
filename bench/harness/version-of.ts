import { readFileSync } from 'node:fs';

/** The version in a package.json. */
export function versionIn(packageJson: URL): string {
  const { version } = JSON.parse(readFileSync(packageJson, 'utf8')) as { version: string };
  return version;
}

/** The version of a package installed for the bench. */
export function readVersion(name: string): string {
  return versionIn(new URL(`../node_modules/${name}/package.json`, import.meta.url));
}
