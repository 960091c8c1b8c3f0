// A process that does nothing but answer the probe: how late its timers are is the machine's doing and nobody else's.
import '../support/probe.ts';

setInterval(() => undefined, 60_000);
