// A server of the older protocol, written by hand so that it can misbehave. The first argument says how.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.argv[2] ?? 'good';
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id, result) => write({ id, result });
const refuse = (id, code, message) => write({ id, error: { code, message } });
const tool = (name) => ({ name, inputSchema: { type: 'object' } });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

let listings = 0;

const lists = {
  good: () => ({ tools: [tool('echo'), tool('slow')] }),
  'endless-pages': () => ({ tools: [tool(`tool-${listings}`)], nextCursor: `page-${listings}` }),
  'circling-pages': () => ({ tools: [tool(`tool-${listings}`)], nextCursor: listings % 2 === 0 ? 'even' : 'odd' }),
  'bad-tools': () => ({
    tools: [
      tool('first'),
      { name: 'no-schema' },
      { name: 'array-schema', inputSchema: { type: 'array' } },
      { inputSchema: { type: 'object' } },
      'not even an object',
      { ...tool('second'), outputSchema: { type: 'string' }, title: 7, annotations: { readOnlyHint: 'yes' } },
      { ...tool('first'), description: 'the same name again' },
    ],
  }),
  'no-list': () => ({ tools: 'none' }),
  changing: () => ({ tools: listings === 1 ? [tool('before')] : [tool('before'), tool('after')] }),
  shared: () => ({ tools: [tool('search'), tool(process.argv[3])] }),
};

const calls = {
  echo: (id, { message }) => answer(id, text(`Echo: ${message}`)),
  'exit-in-call': () => {
    process.stderr.write('Segmentation fault\n');
    process.exit(7);
  },
  'unknown-kind': (id) =>
    answer(id, { content: [{ type: 'text', text: 'kept' }, { type: 'hologram', data: 'x' }, { type: 'image' }, 3] }),
  'bad-structure': (id) => answer(id, { ...text('done'), structuredContent: { count: 'many' } }),
  slow: () => undefined,
  environment: (id) => answer(id, text(JSON.stringify(process.env))),
};

if (mode === 'exit-at-once') {
  process.stderr.write('\u001b[31mMissing API key\u001b[0m\n');
  process.exit(3);
}
if (mode === 'noise') {
  process.stdout.write('Welcome to my server!\n\n{"level":"info","msg":"ready"}\n[1,2]\n');
}
if (mode === 'long-line') process.stdout.write('x'.repeat(200_000));
if (mode === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
if (mode === 'leaves-child') {
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.stderr.write(`child ${child.pid}\n`);
}

const input = createInterface({ input: process.stdin });
if (mode !== 'stubborn') input.on('close', () => process.exit(0));
input.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (mode === 'log-requests') process.stderr.write(`got ${method} ${line}\n`);
  if (mode === 'silent') return;
  switch (method) {
    case 'server/discover':
      if (mode === 'exit-on-probe') process.exit(1);
      if (mode === 'silent-on-probe') return;
      if (mode === 'counts-probes') process.stderr.write('probed\n');
      return refuse(id, -32601, 'Method not found');
    case 'initialize':
      if (mode === 'refuses') return refuse(id, -32600, 'You are not on the list');
      return answer(id, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'by-hand', version: '1' },
        instructions: 'Be kind.',
      });
    case 'tools/list':
      listings++;
      return answer(id, (lists[mode] ?? (() => ({ tools: Object.keys(calls).map(tool) })))());
    case 'tools/call':
      return call(id, params);
    default:
  }
});

function call(id, { name, arguments: args, _meta }) {
  const code = /^error-(\d+)$/.exec(args.how ?? '')?.[1];
  if (code !== undefined) return refuse(id, -Number(code), 'so says the server');
  if (args.how === 'progress') return progress(id, _meta.progressToken);
  if (args.how === 'change') {
    for (let times = 0; times < 50; times++) write({ method: 'notifications/tools/list_changed' });
    return answer(id, text('changed'));
  }
  if (args.how === 'crash') return calls['exit-in-call']();
  return (calls[name] ?? calls.echo)(id, args);
}

// Takes longer than the caller's time-out, but is seen to work all the while.
function progress(id, progressToken) {
  let at = 0;
  const timer = setInterval(() => {
    write({
      method: 'notifications/progress',
      params: { progressToken, progress: ++at, total: 15, message: `step ${at}` },
    });
    if (at < 15) return;
    clearInterval(timer);
    answer(id, text('at last'));
  }, 100);
}
