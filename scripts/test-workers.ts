import { availableParallelism } from 'node:os';

/** Most of their time tests wait for processes and sockets of their own: two cores carry five of them. */
export const WORKERS = Math.max(5, availableParallelism());
