import '../harness/probe.ts';

setInterval(() => undefined, 60_000);
