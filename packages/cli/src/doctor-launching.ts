import { readFileSync, statSync } from 'node:fs';
import { delimiter } from 'node:path';
import { LAUNCHERS } from '@toolyard/mcp-host';
import {
  CERTIFICATE_VARIABLES,
  childEnvironment,
  findCommand,
  networkSettings,
  sandboxSupport,
} from '@toolyard/mcp-host/node';
import type { Finding } from './finding.ts';

/** Checks what local servers (stdio) need to start: proxy, certificates, launchers, sandbox. */
export async function checkLaunching(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  return [...checkProxy(env), ...checkCertificates(env), checkLaunchers(env), await checkSandbox(sandboxSupport)];
}

/** Exported for its test, which needs a machine without a sandbox. */
export async function checkSandbox(detect: typeof sandboxSupport): Promise<Finding> {
  const support = await detect();
  const subject = 'sandbox';
  if (support.kind !== 'none') return { level: 'ok', subject, text: `${support.kind} (${support.path})` };
  const text = `local servers run without a sandbox. ${String(support.reason)}`;
  return { level: 'info', subject, text, hint: String(support.hint) };
}

function checkProxy(env: NodeJS.ProcessEnv): Finding[] {
  const settings = networkSettings(env);
  if (settings.length === 0) return [{ level: 'info', subject: 'proxy', text: 'no proxy or package registry is set' }];
  return settings.map(({ name, value, hasCredentials }) =>
    hasCredentials
      ? {
          level: 'info',
          subject: 'proxy',
          text: `${name}=${value} contains credentials, so local servers do not inherit it`,
          hint: `Add "${name}": "\${env:${name}}" to "env" of the servers that need it.`,
        }
      : { level: 'ok', subject: 'proxy', text: `${name}=${value}` },
  );
}

function checkCertificates(env: NodeJS.ProcessEnv): Finding[] {
  const set = CERTIFICATE_VARIABLES.flatMap((name) => (env[name] ? [{ name, path: env[name] }] : []));
  if (set.length === 0) return [{ level: 'info', subject: 'certificates', text: 'no certificate variable is set' }];
  return set.map(({ name, path }) => {
    const problem = findProblem(path);
    if (problem === null) return { level: 'ok', subject: 'certificates', text: `${name}=${path}` };
    return {
      level: 'wrong',
      subject: 'certificates',
      text: `${name}=${path}: ${problem}`,
      hint: 'Correct the path, or unset the variable.',
    };
  });
}

function findProblem(path: string): string | null {
  try {
    // SSL_CERT_DIR may list several folders.
    if (path.split(delimiter).every((folder) => statSync(folder).isDirectory())) return null;
    return readFileSync(path, 'latin1').includes('-----BEGIN ') ? null : 'the file contains no PEM certificate';
  } catch (error) {
    return `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'})`;
  }
}

function checkLaunchers(env: NodeJS.ProcessEnv): Finding {
  const { PATH } = childEnvironment(env).env;
  const found = LAUNCHERS.flatMap((name) => {
    const path = findCommand(name, PATH);
    return path === undefined ? [] : [path];
  });
  const missing = LAUNCHERS.filter((name) => findCommand(name, PATH) === undefined);
  return {
    level: 'info',
    subject: 'launchers',
    text: `${found.join(', ') || 'none found'}${missing.length === 0 ? '' : `; not in PATH: ${missing.join(', ')}`}`,
  };
}
