/**
 * The program that the suite starts for each scenario: passes it to the process that runs the suite, where the host is
 * loaded, and exits like the client there. The suite passes the URL of its server as the last argument, and the scenario
 * in the environment.
 */
const [desk = '', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const answer = await fetch(desk, { method: 'POST', body: JSON.stringify({ scenario, url, context }) });
process.stderr.write(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
