import { parseArgs } from 'node:util';

const DEFAULT_PORT = 8641;

const HELP = `Usage: toolyard-server-date [--http [--port N]]

An MCP server with one tool, get-date, which tells the date and time.

  (no options)  speak MCP over stdin and stdout, until stdin ends
  --http        speak MCP over Streamable HTTP on 127.0.0.1, at /mcp
  --port N      the port for --http (default ${DEFAULT_PORT}; 0 takes any free one)
  --help        show this text
  --version     show the version
`;

type Command =
  | { do: 'help' }
  | { do: 'version' }
  | { do: 'stdio' }
  | { do: 'http'; port: number }
  | { do: 'refuse'; problem: string };

/**
 * Runs the command. Resolves with the exit code, or with undefined for a server that runs until stdin ends or a signal
 * arrives.
 */
export async function main(args: readonly string[]): Promise<number | undefined> {
  const command = readCommand(args);
  switch (command.do) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'version': {
      const { VERSION } = await import('./server.ts');
      process.stdout.write(`${VERSION}\n`);
      return 0;
    }
    case 'refuse':
      process.stderr.write(`toolyard-server-date: ${command.problem}\nTry --help.\n`);
      return 2;
    case 'stdio': {
      const { serveDateOverStdio } = await import('./stdio.ts');
      const server = serveDateOverStdio();
      closeOnSignal(server);
      return undefined;
    }
    case 'http':
      return startHttp(command.port);
  }
}

async function startHttp(port: number): Promise<number | undefined> {
  const { serveDateOverHttp } = await import('./http.ts');
  try {
    const server = await serveDateOverHttp({ port });
    closeOnSignal(server);
    process.stderr.write(`toolyard-server-date: listening at ${server.url}\n`);
    return undefined;
  } catch (error) {
    process.stderr.write(`toolyard-server-date: ${listenProblem(error, port)}\n`);
    return 1;
  }
}

function listenProblem(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another with --port`;
  if (code === 'EACCES') return `no permission to listen on port ${port}; choose one above 1023 with --port`;
  return `cannot listen on port ${port}: ${error instanceof Error ? error.message : String(error)}`;
}

function readCommand(args: readonly string[]): Command {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        http: { type: 'boolean' },
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    }));
  } catch (error) {
    return { do: 'refuse', problem: error instanceof Error ? firstSentence(error.message) : 'wrong arguments' };
  }
  if (values.help === true) return { do: 'help' };
  if (values.version === true) return { do: 'version' };
  if (values.http !== true) {
    return values.port === undefined ? { do: 'stdio' } : { do: 'refuse', problem: '--port requires --http' };
  }
  const port = values.port === undefined ? DEFAULT_PORT : Number(values.port);
  const isPort = /^\d+$/.test(values.port ?? '0') && port <= 65535;
  return isPort
    ? { do: 'http', port }
    : { do: 'refuse', problem: `--port must be a number from 0 to 65535 (got "${values.port}")` };
}

function firstSentence(text: string): string {
  return text.split('. ')[0] ?? text;
}

/** Closes the server on the first signal; a second one terminates the process as usual. */
function closeOnSignal(server: { close(): Promise<void> }): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.close());
}
