import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { childrenCpuSeconds } from './cpu.ts';

/** CPU seconds of what an owner (a check) started. */
export type Cost = { cpuSeconds: number };

const owner = new AsyncLocalStorage<Cost>();
let known = childrenCpuSeconds() ?? 0;

/**
 * Attributes to `cost` the CPU time of all child processes that `work` starts (see {@link countChild}), and that of this
 * process until `work` returns its promise.
 */
export function countFor<T>(cost: Cost, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = owner.run(cost, work);
  const { user, system } = process.cpuUsage(before);
  cost.cpuSeconds += (user + system) / 1e6;
  return result;
}

/**
 * Attributes the CPU time of a child process and its descendants to the owner that started it. The system adds it to that
 * of this process's children when the child has exited, just before Node emits `exit`. Two children that exit in the same
 * millisecond are both counted for the first.
 */
export function countChild<Child extends ChildProcess>(child: Child): Child {
  const cost = owner.getStore();
  child.once('exit', () => {
    const now = childrenCpuSeconds() ?? 0;
    if (cost) cost.cpuSeconds += now - known;
    known = now;
  });
  return child;
}
