/**
 * Shared by the tests of all packages and the bench: scripted model servers, scripted MCP servers, and clock,
 * identifiers, failpoints and processes under the control of a test. Never published.
 * @module
 */
export { reply } from './model/reply.ts';
export type { ScriptedCall, StreamOptions, ToolCallOptions } from './model/reply.ts';
export { anthropicReply, anthropicEvents } from './model/anthropic.ts';
export type { AnthropicBlock, AnthropicOptions } from './model/anthropic.ts';
export { converseReply } from './model/converse.ts';
export type { ConverseBlock, ConverseOptions } from './model/converse.ts';
export { geminiReply } from './model/gemini.ts';
export type { GeminiOptions } from './model/gemini.ts';
export { responsesReply, responsesEvents } from './model/responses.ts';
export type { ResponsesItem, ResponsesOptions } from './model/responses.ts';
export { exportedTypes } from './exported-types.ts';
export { startModelServer } from './model/server.ts';
export { TEST_CERTIFICATE } from './smtp/certificate.ts';
export { startSmtpServer } from './smtp/server.ts';
export type { ModelScript, ModelServer, ModelServerOptions, RecordedRequest } from './model/server.ts';
export type { ModelReply, Split, ScriptedWireOptions } from './model/wire.ts';
export { createRandom } from './model/random.ts';
export { COUNT_FILE_VARIABLE, LOG_FILE_VARIABLE, MCP_BEHAVIOURS } from './scripted-mcp/behaviour.ts';
export type { HttpAnswer, McpBehaviour, McpBehaviourName, ScriptedTool, ToolAction } from './scripted-mcp/behaviour.ts';
export type { Cors } from './scripted-mcp/cors.ts';
export { scriptedMcpCommand } from './scripted-mcp/command.ts';
export { startScriptedMcp } from './scripted-mcp/http.ts';
export type { ScriptedMcp, ScriptedMcpOptions, ScriptedMcpRequest } from './scripted-mcp/http.ts';
export { startScriptedSse } from './scripted-mcp/sse.ts';
export type { ScriptedSse } from './scripted-mcp/sse.ts';
export { startScriptedWebSocket } from './scripted-mcp/websocket.ts';
export type { ScriptedWebSocket } from './scripted-mcp/websocket.ts';
export { startPluginServer } from './plugin-server.ts';
export type { PluginServer, PluginServerAnswer, PluginServerAnswers, PluginServerRequest } from './plugin-server.ts';
export { startHostedService } from './hosted-service.ts';
export type { HostedService, HostedServiceOptions } from './hosted-service.ts';
export { startAuthorizationServer } from './authorization/server.ts';
export type {
  AuthorizationRequest,
  AuthorizationServer,
  AuthorizationServerOptions,
  AuthorizationRedirect,
} from './authorization/server.ts';
export type { Protection, ProtectionOptions } from './authorization/protection.ts';
export { createFakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { createSteadyClock } from './steady-clock.ts';
export type { SteadyClock } from './steady-clock.ts';
export { createIds } from './ids.ts';
export { TEST_SEED } from './seed.ts';
export { loadPolicyCorpus } from './policy-corpus.ts';
export type { CallCase, CommandCase, NeverCase, PathCase, PolicyCase } from './policy-corpus.ts';
export { areKeysReadByNode, isKeyReadByNode } from './json-keys.ts';
export { createFailpoints, killThisProcess } from './failpoints.ts';
export type { FailpointAction, Failpoints } from './failpoints.ts';
export { eventually, within } from './eventually.ts';
export type { WaitOptions } from './eventually.ts';
export { needs, SANDBOX, UNIX, UNPRIVILEGED_USER, utilLinux } from './needs.ts';
export type { Need } from './needs.ts';
export { describeProcesses, forgetExitedProcesses, registerProcess } from './started-processes.ts';
export { listenOnLoopback, startRecordingServer } from './loopback.ts';
export type { RecordingServer } from './loopback.ts';
export { ownPort } from './ports.ts';
export {
  COMPILED_ONCE,
  NO_TITLES,
  isAlive,
  isStopped,
  listProcessTree,
  programArgs,
  programPath,
  PROGRAMS_VARIABLE,
  runNode,
  SOURCE_CONDITION,
} from './processes.ts';
export type { RunNodeOptions, RunNodeResult } from './processes.ts';
export { TaskRegistry } from './task-server/task-registry.ts';
export type {
  RunningTask,
  ServedTask,
  ServedTaskStatus,
  TaskRegistryOptions,
  TaskInputRequest,
  TaskWork,
} from './task-server/task-registry.ts';
export { listenToSdkRequests } from './sdk-requests.ts';
export { sharedTmp } from './test-run.ts';
export { writePdf } from './sample-pdf.ts';
