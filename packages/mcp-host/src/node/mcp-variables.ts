import { homedir } from 'node:os';
import { basename, dirname, resolve, sep } from 'node:path';
import { createConfigError } from '../values/config-error.ts';

export type Variables = {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the file; absolute. */
  folder: string;
};

/** Editors keep their file in a folder of their own inside the project. */
const OF_AN_EDITOR = /^\.(vscode|cursor|claude|windsurf|roo|kiro)$/;

/**
 * Substitutes the variables that editors support in an `mcp.json`: `${env:NAME}`, `${userHome}`, `${workspaceFolder}`,
 * `${workspaceFolderBasename}`, `${pathSeparator}` and `${/}`. Any other `${...}` without a colon belongs to the
 * started program and is kept.
 *
 * @throws ToolyardError `bad_config` for a variable that is not set, or that only an editor can fill in
 */
export function fillVariables(text: string, { env, folder }: Variables, where: string): string {
  const workspace = OF_AN_EDITOR.test(basename(folder)) ? dirname(folder) : folder;
  return text.replace(/\$\{([^}]*)\}/g, (whole, inside: string) => {
    switch (inside) {
      case 'userHome':
        return homedir();
      case 'workspaceFolder':
        return resolve(workspace);
      case 'workspaceFolderBasename':
        return basename(resolve(workspace));
      case 'pathSeparator':
      case '/':
        return sep;
    }
    const [, kind, name] = /^(env|input|command|config):(.+)$/s.exec(inside) ?? [];
    if (kind === undefined || name === undefined) return whole;
    if (kind === 'env') return getValue(env, name, where);
    const asVariable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    throw createConfigError(
      `${where} uses ${whole}, which only the editor it was written for can fill in.`,
      `Write \${env:${asVariable}} instead and set ${asVariable} in the environment of Toolyard.`,
    );
  });
}

function getValue(env: Variables['env'], name: string, where: string): string {
  // On Windows names of variables have no case.
  if (/^TOOLYARD_/i.test(name)) {
    throw createConfigError(
      `${where} uses \${env:${name}}, and variables of Toolyard itself are never passed on.`,
      'Set a variable of another name, and use that one.',
    );
  }
  const value = env[name];
  if (value !== undefined) return value;
  throw createConfigError(
    `${where} uses \${env:${name}}, and ${name} is not set.`,
    `Set ${name} in the environment of Toolyard, or remove this.`,
  );
}
