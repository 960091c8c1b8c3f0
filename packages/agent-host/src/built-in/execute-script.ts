import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, shouldInterruptAfterDeadline } from 'quickjs-emscripten-core';
import type { Script, ScriptOutput } from './script.ts';

const MAX_STACK_BYTES = 512 * 1024;

/**
 * Defined before the script, in the sandbox: values become text there, where the limits apply. `write` is the only
 * function of the host that the sandbox has, and takes text only.
 */
const PRELUDE = `(write, maxLength) => {
  const { stringify } = JSON;
  const cut = (text) => (text.length > maxLength ? text.slice(0, maxLength) + '…' : text);
  const plain = (seen) => (_key, value) => {
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'function') return '[function ' + (value.name || 'anonymous') + ']';
    if (value instanceof Map) return { Map: [...value] };
    if (value instanceof Set) return { Set: [...value] };
    if (value instanceof Error) return String(value);
    if (typeof value === 'object' && value !== null) {
      if (seen.has(value)) return '[repeated]';
      seen.add(value);
    }
    return value;
  };
  const show = (value) => {
    if (typeof value === 'string') return cut(value);
    if (typeof value === 'object' && value !== null && !(value instanceof Error)) {
      try { return cut(stringify(value, plain(new Set()), 1)?.replace(/\\n\\s*/g, ' ') ?? String(value)); }
      catch (error) { return '[' + error + ']'; }
    }
    return cut(typeof value === 'bigint' ? value + 'n' : String(value));
  };
  const print = (...values) => write(values.map(show).join(' ') + '\\n');
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };
  return show;
}`;

let engine: Promise<QuickJSWASMModule> | undefined;

/**
 * Executes a script in QuickJS, which is WebAssembly: it has a memory of its own and no access to files, network, timers
 * or objects of the host. Each script gets a new runtime. Blocks the thread until the script ends or reaches a limit.
 *
 * @param onStart is called when the engine is loaded and the time limit of the script begins.
 * @example
 * const limits = { timeoutMs: 1_000, memoryBytes: 16_000_000, maxOutputLength: 1_000 };
 * const { printed, value } = await executeScript({ code: 'console.log("hi"); 6 * 7', ...limits }, () => undefined);
 */
export async function executeScript(
  { code, timeoutMs, memoryBytes, maxOutputLength }: Script,
  onStart: () => void,
): Promise<ScriptOutput> {
  const quickJs = await (engine ??= newQuickJSWASMModuleFromVariant(variant));
  using runtime = quickJs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(MAX_STACK_BYTES);
  using context = runtime.newContext();
  const output = { printed: '', isCut: false };
  const write = (text: string): void => {
    const room = maxOutputLength - output.printed.length;
    output.printed += text.slice(0, room);
    output.isCut ||= text.length > room;
  };
  using show = prepare(context, write, maxOutputLength);
  onStart();
  const deadline = Date.now() + timeoutMs;
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(deadline));
  const end = (error: string): ScriptOutput => {
    const isSpent = /out of memory/.test(error);
    const why = Date.now() >= deadline && /interrupted/.test(error) ? `Stopped after ${timeoutMs / 1000} s.` : error;
    return { ...output, error: why, ...(isSpent ? { isSpent } : {}) };
  };
  const result = context.evalCode(code, 'script.js');
  if (result.error) return end(readErrorText(context, result.error));
  using value = result.value;
  const jobs = runtime.executePendingJobs();
  if (jobs.error) return end(readErrorText(context, jobs.error));
  const state = context.getPromiseState(value);
  if (state.type === 'rejected') return end(readErrorText(context, state.error));
  if (state.type === 'pending') return end('The promise of the last expression was never settled.');
  // Of a value that is no promise, the state has the handle itself.
  using settled = state.notAPromise === true ? state.value.dup() : state.value;
  if (context.typeof(settled) === 'undefined') return output;
  const shown = context.callFunction(show, context.undefined, settled);
  if (shown.error) return end(readErrorText(context, shown.error));
  using text = shown.value;
  return { ...output, value: context.getString(text) };
}

function prepare(context: QuickJSContext, write: (text: string) => void, maxLength: number): QuickJSHandle {
  using prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
  using host = context.newFunction('write', (text) => {
    if (text !== undefined && context.typeof(text) === 'string') write(context.getString(text));
  });
  using most = context.newNumber(maxLength);
  return context.unwrapResult(context.callFunction(prelude, context.undefined, host, most));
}

const MAX_ERROR_LENGTH = 2_000;

/** Name, message and position of an error; never its properties, which a script can define as it likes. */
function readErrorText(context: QuickJSContext, error: QuickJSHandle): string {
  const read = (name: string): string => {
    using property = context.getProp(error, name);
    return context.typeof(property) === 'string' ? context.getString(property).slice(0, MAX_ERROR_LENGTH) : '';
  };
  try {
    if (context.typeof(error) !== 'object') return `Thrown: ${context.getString(error).slice(0, MAX_ERROR_LENGTH)}`;
    const where = /script\.js:(\d+)/.exec(read('stack'));
    return `${read('name') || 'Error'}: ${read('message')}${where ? ` (line ${where[1]})` : ''}`;
  } catch {
    return 'Error: the script failed, and its error could not be read.';
  } finally {
    error.dispose();
  }
}
