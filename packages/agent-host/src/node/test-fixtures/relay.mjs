// A proxy between a client and the MCP server it starts, which records every line of both:
// node relay.mjs <file> <command> [argument ...]. A line of the file is { "from": "client" | "server", "line": ... }.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(from, source, target) {
  const lines = createInterface({ input: source });
  lines.on('line', (line) => {
    appendFileSync(file, `${JSON.stringify({ from, line })}\n`);
    target.write(`${line}\n`);
  });
  lines.on('close', () => target.end());
}

pass('client', process.stdin, server.stdin);
pass('server', server.stdout, process.stdout);
server.stdin.on('error', () => undefined);
server.on('exit', (code) => process.exit(code ?? 1));
