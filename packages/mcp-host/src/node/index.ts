export { killAllStdioChildren } from './process-group.ts';
export { createStdioTransport } from './stdio-transport.ts';
export { createNodeTransports } from './transports.ts';
