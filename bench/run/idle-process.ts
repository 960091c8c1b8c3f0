import '../support/probe.ts';

setInterval(() => undefined, 60_000);
