import { defined } from '@toolyard/protocol';
import { readFileSync } from 'node:fs';
import { createFakeClock, type FakeClock } from '@toolyard/testing';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { McpHost } from './host.ts';
import { MemoryPeer, type PeerBehaviour } from '../node/test-fixtures/memory-peer.ts';
import { reconnectWait, transition, TRANSITIONS, type Stage } from './server-states.ts';
import type { ServerHealth } from '../types.ts';

const STAGES = [...new Set(TRANSITIONS.map(({ from }) => from))];
const EVENTS = [...new Set(TRANSITIONS.map(({ event }) => event))];

describe('the state table', () => {
  test('matches the documentation, row by row', () => {
    const page = readFileSync(new URL('../../../../docs/mcp-host.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| ([\w ]+?) +\| `(\w+)` +\|/gm)];
    expect(rows.map(([, from, event, when, to]) => ({ from, event, when, to }))).toEqual(TRANSITIONS);
  });

  test('has one transition per event and state, and every event leads somewhere', () => {
    const machines = fc.record({
      stage: fc.constantFrom(...STAGES),
      enabled: fc.boolean(),
      spent: fc.nat({ max: 12 }),
      losses: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(machines, fc.constantFrom(...EVENTS), fc.nat({ max: 12 }), (machine, event, max) => {
        const rows = TRANSITIONS.filter(({ from, event: on }) => from === machine.stage && on === event);
        const next = transition(machine, event, max);
        if (rows.length === 0) expect(next.stage).toBe(machine.stage);
        else expect(rows.map(({ to }) => to)).toContain(next.stage);
        const waits = next.stage === 'waiting' || next.stage === 'unreached';
        if (waits && next.stage !== machine.stage) expect(next.spent).toBeLessThan(max);
        if (event === 'opened') expect(next.spent).toBe(rows.length === 0 ? machine.spent : 0);
        if (event === 'disable') expect(next).toMatchObject({ stage: 'disabled', enabled: false });
        if (event === 'disconnect') expect(['idle', 'disabled']).toContain(next.stage);
      }),
    );
  });

  test('waits grow from one second to thirty, and jitter only shortens them', () => {
    expect([0, 1, 2, 3, 4, 5, 9].map((attempt) => reconnectWait(attempt, 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.double({ min: -2, max: 2, noNaN: true }), (attempt, jitter) => {
        const whole = reconnectWait(attempt, 0);
        expect(reconnectWait(attempt, jitter)).toBeLessThanOrEqual(whole);
        expect(reconnectWait(attempt, jitter)).toBeGreaterThanOrEqual(whole * 0.75);
      }),
    );
  });
});

type Connected = { host: McpHost; peer: MemoryPeer; clock: FakeClock; health: () => ServerHealth; stage: () => Stage };

function connectHost(options: { maxReconnects?: number; jitter?: number; disabled?: boolean } = {}): Connected {
  const clock = createFakeClock();
  const peer = new MemoryPeer();
  const host = new McpHost({
    servers: [{ id: 'odd', transport: { type: 'in-memory', name: 'odd' }, disabled: options.disabled === true }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock,
    clientInfo: { name: 'toolyard-test', version: '0' },
    jitter: () => options.jitter ?? 0,
    ...defined({ maxReconnects: options.maxReconnects }),
  });
  const health = (): ServerHealth => {
    const [only] = host.health();
    if (only === undefined) throw new Error('the server is gone');
    return only;
  };
  return { host, peer, clock, health, stage: () => getStage(health()) };
}

function getStage({ state, reconnect }: ServerHealth): Stage {
  if (state === 'failed' && reconnect !== undefined) return 'unreached';
  if (state !== 'reconnecting') return state;
  return reconnect?.at === undefined ? 'trying' : 'waiting';
}

const go = { serverId: 'odd', name: 'go' };

describe('a lost server', () => {
  test('is retried after 1, 2, 4, 8, 16 and then every 30 seconds, ten times in all', async () => {
    const { host, peer, clock, health } = connectHost();
    await host.connectAll();
    peer.greeting = 'unreachable';
    peer.drop();
    expect(health()).toMatchObject({ state: 'reconnecting', toolCount: 1, reconnect: { attempt: 1, of: 10 } });
    const attemptTimes: number[] = [];
    const start = clock.monotonic();
    let seen = peer.attempts;
    for (let second = 0; second < 400; second++) {
      await clock.advance(500);
      if (peer.attempts > seen) attemptTimes.push((clock.monotonic() - start) / 1_000);
      seen = peer.attempts;
    }
    expect(attemptTimes).toEqual([1, 3, 7, 15, 31, 61, 91, 121, 151, 181]);
    expect(health()).toMatchObject({ state: 'failed', toolCount: 0, error: { code: 'server_unreachable' } });
    expect(clock.pending).toBe(0);
    await host.close();
  });

  test('is listed and called as before once it is back', async () => {
    const { host, peer, clock, health } = connectHost();
    await host.connectAll();
    peer.drop();
    const waiting = host.callTool(go, {});
    peer.answers['tools/list'] = () => ({
      result: {
        tools: [
          { name: 'go', inputSchema: { type: 'object' } },
          { name: 'new', inputSchema: { type: 'object' } },
        ],
      },
    });
    await clock.advance(1_000);
    expect(await waiting).toMatchObject({ outcome: 'done' });
    expect(health()).toMatchObject({ state: 'ready', toolCount: 2 });
    expect(health().error).toBeUndefined();
    expect(health().phases.map(({ phase }) => phase)).toEqual([
      'transport_creating',
      'transport_ready',
      'initializing',
      'capabilities_exchanged',
      'listing',
      'connected',
    ]);
    await host.close();
  });

  test('counts attempts from 0 after every success', async () => {
    const { host, peer, clock, health } = connectHost();
    await host.connectAll();
    for (let loss = 1; loss <= 3; loss++) {
      peer.greeting = 'unreachable';
      peer.drop();
      await clock.advance(1_000 + 2_000);
      expect(health()).toMatchObject({ state: 'reconnecting', reconnect: { attempt: 3 } });
      peer.greeting = 'welcome';
      await clock.advance(4_000);
      expect(health().state).toBe('ready');
      await clock.advance(20_000);
      peer.drop();
      expect(health().reconnect).toMatchObject({ attempt: 1, at: clock.now() + 1_000 });
      await clock.advance(1_000 + 20_000);
      expect(health().state).toBe('ready');
    }
    await host.close();
  });

  test('is not reconnected every second if each connection is lost at once', async () => {
    const { host, peer, clock, health } = connectHost();
    await host.connectAll();
    for (const wait of [1_000, 2_000, 4_000]) {
      peer.drop();
      expect(health().reconnect).toMatchObject({ attempt: 1 });
      await clock.advance(wait - 1);
      expect(health().state).toBe('reconnecting');
      await clock.advance(1);
      expect(health().state).toBe('ready');
    }
    await clock.advance(20_000);
    peer.drop();
    await clock.advance(1_000);
    expect(health().state).toBe('ready');
    await host.close();
  });

  test('is not retried for permanent errors, and waits for a user if it requires a sign-in', async () => {
    for (const [greeting, state] of [
      ['no_such_command', 'failed'],
      ['sign_in', 'needs_sign_in'],
    ] as const) {
      const { host, peer, clock, health } = connectHost();
      await host.connectAll();
      peer.greeting = greeting;
      peer.drop();
      await clock.advance(1_000);
      expect(health().state).toBe(state);
      expect(clock.pending).toBe(0);
      peer.greeting = 'welcome';
      await host.connect('odd');
      expect(health().state).toBe('ready');
      await host.close();
    }
  });

  test('is detected even if it is lost the moment it becomes ready', async () => {
    const { host, peer, clock, health } = connectHost();
    let isFirst = true;
    host.onChange(() => {
      const { phase, state } = health();
      if (phase !== 'connected' || state === 'ready' || !isFirst) return;
      isFirst = false;
      peer.drop();
    });
    await host.connectAll();
    expect(isFirst).toBe(false);
    expect(health().state).toBe('reconnecting');
    await clock.advance(1_000);
    expect(health().state).toBe('ready');
    await host.close();
  });

  test('is reconnected at once when a user asks for it', async () => {
    const { host, peer, health } = connectHost();
    await host.connectAll();
    peer.drop();
    await host.connect('odd');
    expect(health().state).toBe('ready');
    await host.close();
  });

  test('delays a call for a limited time; the call is then not made', async () => {
    const { host, peer, clock } = connectHost();
    await host.connectAll();
    peer.greeting = 'unreachable';
    peer.drop();
    const waiting = host.callTool(go, {});
    await clock.advance(10_000);
    expect(await waiting).toMatchObject({ outcome: 'not_sent' });
    expect(peer.countReceived('tools/call')).toBe(0);
    await host.close();
  });
});

describe('a server that cannot be reached at first', () => {
  test('is retried like a lost one', async () => {
    const { host, peer, clock, health } = connectHost();
    peer.greeting = 'unreachable';
    await host.connectAll();
    expect(health()).toMatchObject({ state: 'failed', error: { code: 'server_unreachable' } });
    expect(health().reconnect).toMatchObject({ attempt: 1, of: 10, at: clock.now() + 1_000 });
    const times: number[] = [];
    const start = clock.monotonic();
    let before = peer.attempts;
    for (let step = 0; step < 500; step++) {
      await clock.advance(500);
      if (peer.attempts > before) times.push((clock.monotonic() - start) / 1_000);
      before = peer.attempts;
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 61, 91, 121, 151, 181]);
    expect(health().reconnect).toBeUndefined();
    expect(clock.pending).toBe(0);
    await host.close();
  });

  test('is ready once it can be reached', async () => {
    const { host, peer, clock, health } = connectHost();
    peer.greeting = 'unreachable';
    await host.connectAll();
    await clock.advance(1_000);
    expect(health().reconnect).toMatchObject({ attempt: 2 });
    peer.greeting = 'welcome';
    await clock.advance(2_000);
    expect(health()).toMatchObject({ state: 'ready', toolCount: 1 });
    expect(health().error).toBeUndefined();
    expect(await host.callTool(go, {})).toMatchObject({ outcome: 'done' });
    await host.close();
  });

  test('is retried only if the error may be temporary', async () => {
    for (const greeting of ['no_such_command', 'sign_in'] as const) {
      const { host, peer, clock, health } = connectHost();
      peer.greeting = greeting;
      await host.connectAll();
      expect(health().reconnect).toBeUndefined();
      await clock.advance(400_000);
      expect(peer.attempts).toBe(1);
      await host.close();
    }
  });

  test('is not awaited after its first attempt', async () => {
    const { host, peer, clock } = connectHost();
    peer.greeting = 'silent';
    expect(host.awaited(['odd', 'none'])).toEqual([]);
    const connecting = host.connectAll();
    expect(host.awaited(['odd', 'none'])).toEqual(['odd']);
    const settled = host.whenSettled(['odd'], undefined, 600_000);
    await clock.advance(60_000);
    await Promise.all([connecting, settled]);
    for (let step = 0; step < 100; step++) {
      expect(host.awaited(['odd'])).toEqual([]);
      await clock.advance(1_000);
    }
    await host.close();
  });
});

test('the retry of a failed server does not prolong the wait for another one', async () => {
  const peers = { bad: new MemoryPeer(), good: new MemoryPeer() };
  const clock = createFakeClock();
  const host = new McpHost({
    servers: ['bad', 'good'].map((name) => ({ id: name, transport: { type: 'in-memory' as const, name } })),
    createTransport: (config, context) => peers[context.serverId as 'bad'].createTransport(config, context),
    eraMemory: peers.good.eraMemory,
    clock,
    clientInfo: { name: 'toolyard-test', version: '0' },
  });
  peers.bad.greeting = 'unreachable';
  peers.good.greeting = 'silent';
  const connecting = host.connectAll();
  const waited = host.whenNoneAwaited(host.configurations.keys(), undefined, 600_000);
  await clock.advance(10);
  peers.bad.greeting = 'silent';
  // The first attempt of the other one has just timed out; the retry continues.
  await clock.advance(30_500);
  expect(host.health().map(({ state }) => state)).toEqual(['connecting', 'failed']);
  await waited;
  const closing = host.close();
  await clock.advance(5_000);
  await Promise.all([closing, connecting]);
});

test('a lost server is not awaited, one that was disconnected is', async () => {
  const { host, peer, clock } = connectHost();
  await host.connectAll();
  peer.greeting = 'silent';
  peer.drop();
  for (let step = 0; step < 50; step++) {
    expect(host.awaited(['odd'])).toEqual([]);
    await host.whenSettled(['odd'], undefined, 600_000);
    await clock.advance(1_000);
  }
  peer.greeting = 'welcome';
  await clock.advance(60_000);
  await host.disconnect('odd');
  peer.greeting = 'silent';
  const connecting = host.connectAll();
  expect(host.awaited(['odd'])).toEqual(['odd']);
  await host.close();
  await connecting;
});

describe('a disabled server', () => {
  test('is connected only by name and is disabled again afterwards', async () => {
    const { host, health } = connectHost({ disabled: true });
    await host.connectAll();
    expect(health().state).toBe('disabled');
    await host.connect('odd');
    expect(health().state).toBe('ready');
    await host.disconnect('odd');
    expect(health().state).toBe('disabled');
    await host.setEnabled('odd', true);
    expect(health().state).toBe('idle');
    await host.connectAll();
    await host.setEnabled('odd', false);
    expect(health()).toMatchObject({ state: 'disabled', toolCount: 0 });
    await host.close();
  });
});

type Action =
  | { do: 'connect' | 'disconnect' | 'enable' | 'disable' | 'drop' | 'call' }
  | { do: 'greet'; as: PeerBehaviour }
  | { do: 'answer'; as: MemoryPeer['asked'] }
  | { do: 'wait'; ms: number };

const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('connect', 'disconnect', 'enable', 'disable', 'drop', 'call') }),
  fc.record({
    do: fc.constant('greet' as const),
    as: fc.constantFrom<PeerBehaviour>('welcome', 'unreachable', 'no_such_command', 'sign_in', 'silent'),
  }),
  fc.record({
    do: fc.constant('answer' as const),
    as: fc.constantFrom<MemoryPeer['asked']>('answer', 'forgotten', 'sign_in'),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
);

test('a server follows the state table under random events and leaves nothing running', async () => {
  const steps = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(actions, { maxLength: 60, size: 'max' }),
      fc.nat({ max: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (todo, maxReconnects, jitter) => {
        const { host, peer, clock, stage, health } = connectHost({ maxReconnects, jitter });
        let before = stage();
        let dueAt = 0;
        const faults: string[] = [];
        host.onChange(() => {
          const now = stage();
          if (now === before) return;
          if (!TRANSITIONS.some(({ from, to }) => from === before && to === now)) faults.push(`${before} to ${now}`);
          steps.add(`${before} ${now}`);
          const { reconnect } = health();
          if ((now === 'waiting' || now === 'unreached') && reconnect?.at !== undefined) {
            if (reconnect.attempt > maxReconnects) faults.push(`attempt ${reconnect.attempt} of ${maxReconnects}`);
            const wait = reconnect.at - clock.now();
            if (wait < reconnectWait(reconnect.attempt - 1, jitter)) faults.push('a shorter wait');
            if (wait > 30_000) faults.push('a longer wait');
            dueAt = reconnect.at;
          }
          before = now;
        });
        const under: Promise<unknown>[] = [];
        for (const action of todo) {
          under.push(execute(action, host, peer, clock));
          await clock.advance(0);
          if ((stage() === 'waiting' || stage() === 'unreached') && clock.now() >= dueAt) faults.push('waits too long');
        }
        const closing = host.close();
        await clock.advance(5_000);
        await closing;
        await clock.advance(60_000);
        await Promise.allSettled(under);
        expect(faults).toEqual([]);
        expect(['idle', 'disabled']).toContain(stage());
        expect(peer.openConnections).toBe(0);
        expect(clock.pending).toBe(0);
      },
    ),
    cases(3_000),
  );
  // Proof that the actions above reach every state.
  const reachable = new Set(TRANSITIONS.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from} ${to}`));
  expect([...reachable].filter((step) => !steps.has(step)).length).toBeLessThanOrEqual(3);
});

async function execute(action: Action, host: McpHost, peer: MemoryPeer, clock: FakeClock): Promise<void> {
  switch (action.do) {
    case 'connect':
    case 'disconnect':
      return host[action.do]('odd').catch(() => undefined);
    case 'enable':
    case 'disable':
      return host.setEnabled('odd', action.do === 'enable');
    case 'drop':
      return peer.drop();
    case 'call':
      return void (await host.callTool(go, {}, { timeoutMs: 1_000 }));
    case 'greet':
      peer.greeting = action.as;
      return;
    case 'answer':
      peer.asked = action.as;
      return;
    case 'wait':
      return clock.advance(action.ms);
  }
}
