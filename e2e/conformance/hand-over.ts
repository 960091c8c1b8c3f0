/**
 * What the suite starts for each scenario: hands it to the process that runs the suite, where the host is loaded
 * already, and ends as the client did there. The suite puts the address of its server last and the scenario into the
 * environment.
 */
const [desk = '', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const answer = await fetch(desk, { method: 'POST', body: JSON.stringify({ scenario, url, context }) });
process.stderr.write(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
