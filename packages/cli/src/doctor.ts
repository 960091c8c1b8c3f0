import { nodePlatform } from '@toolyard/agent-host/node';
import { McpHost } from '@toolyard/mcp-host';
import { killAllStdioChildren } from '@toolyard/mcp-host/node';
import { createModelRuntime, findLocalServers, loadingError, providersInEnvironment } from '@toolyard/model-runtime';
import { toErrorInfo, VERSION } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import { chooseModel } from './choose-model.ts';
import { EXIT } from './exit.ts';
import type { DoctorFlags } from './flags.ts';
import { checkLaunching } from './doctor-launching.ts';
import type { Finding } from './finding.ts';
import { pluralize, printJson } from './output.ts';
import { plainLine } from './sanitize.ts';
import { dataDirFrom } from './server/data-dir.ts';
import { serversFrom } from './servers.ts';
import { showLaunches } from './show-launches.ts';

type Report = (level: Finding['level'], subject: string, text: string, hint?: string) => void;

const MARKS = { ok: 'ok   ', info: 'info ', wrong: 'wrong' } as const;

/** `toolyard doctor`. Returns 1 if anything is wrong. */
export async function doctorCommand(io: CommandIo, flags: DoctorFlags): Promise<number> {
  io.onExit(killAllStdioChildren);
  const findings: Finding[] = [];
  const report: Report = (level, subject, text, hint) => {
    findings.push({ level, subject, text, ...(hint ? { hint } : {}) });
    if (flags.json) return;
    io.stdout.write(`${MARKS[level]}  ${subject}: ${plainLine(text, 500)}\n`);
    if (hint) io.stdout.write(`       ${plainLine(hint, 500)}\n`);
  };

  report('ok', 'toolyard', `${VERSION} on Node ${process.versions.node}, ${process.platform}`);
  await checkModels(io, flags, report);
  for (const { level, subject, text, hint } of await checkLaunching(io.env)) report(level, subject, text, hint);
  await checkServers(io, flags, report);
  if (flags.json) printJson(io, findings);
  return findings.some((finding) => finding.level === 'wrong') ? EXIT.failed : EXIT.done;
}

async function checkModels({ env }: CommandIo, flags: DoctorFlags, report: Report): Promise<void> {
  const { fetch, clock } = nodePlatform();
  report('info', 'key', await describeKeys(flags, env));
  const found = await findLocalServers({ fetch, clock });
  for (const { label, baseUrl, models, isLoading } of found) {
    if (isLoading) {
      const { message, hint } = loadingError({ label, baseUrl });
      report('info', label, message, hint);
      continue;
    }
    report('ok', label, `${baseUrl}, ${models.length} models: ${models.map((m) => m.id).join(', ')}`);
  }
  if (found.length === 0) {
    report('info', 'local model servers', 'none detected on the usual ports');
  }
  try {
    const { model, description } = await chooseModel(flags, { env, fetch, clock });
    report('ok', 'model', description);
    if ('demo' in model) return;
    const { id } = model;
    const runtime =
      'runtime' in model ? model.runtime : createModelRuntime({ wire: 'openai-chat', ...model, fetch, clock });
    const offered = await runtime.models();
    if (offered.some((other) => other.id === id)) return;
    report(
      'wrong',
      'model',
      `${runtime.label ?? runtime.provider} does not offer "${id}".`,
      `Available: ${offered.map((other) => other.id).join(', ')}`,
    );
  } catch (thrown) {
    const { message, hint } = toErrorInfo(thrown);
    report('wrong', 'model', message, hint);
  }
}

async function describeKeys(flags: DoctorFlags, env: NodeJS.ProcessEnv): Promise<string> {
  const variables = (await providersInEnvironment(env)).flatMap(({ apiKey, variables: names }) =>
    apiKey === undefined ? [] : names.slice(-1),
  );
  if (variables.length > 0) return `API keys are set: ${variables.join(', ')}`;
  return flags.apiKey === undefined ? 'no API key is set (local model servers need none)' : 'an API key is set';
}

async function checkServers(io: CommandIo, flags: DoctorFlags, report: Report): Promise<void> {
  const { createTransport, clock } = nodePlatform({ sandbox: { dataFolders: [dataDirFrom(undefined, io)] } });
  try {
    await using host = new McpHost({
      servers: serversFrom(flags, io),
      createTransport,
      clock,
      clientInfo: { name: 'toolyard', version: VERSION },
    });
    const stopShowing = showLaunches(io, () => host.health());
    await host.connectAll();
    stopShowing();
    for (const server of host.health()) {
      const subject = `server ${server.id}`;
      if (server.state !== 'ready') {
        const { message = server.state, hint } = server.error ?? {};
        report('wrong', subject, message, hint);
        continue;
      }
      const protocol = server.protocolVersion ? `, MCP ${server.protocolVersion}` : '';
      report('ok', subject, `${pluralize(server.toolCount, 'tool')}${protocol}`);
      for (const { name, reason } of server.skipped) {
        report('info', subject, `skipped ${name}: ${reason}`);
      }
    }
  } catch (thrown) {
    const { message, hint } = toErrorInfo(thrown);
    report('wrong', 'servers', message, hint);
  }
}
