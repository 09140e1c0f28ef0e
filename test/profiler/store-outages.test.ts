import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createProfiler, createStore, type ProcessAccount, type Profiler, type StoreState } from '#profiler';
import { type OwnServer, startOwnPostgres, startOwnRedis } from './own-servers.js';
import { addUp, getRecord, watchRequest } from './watch-request.js';

const script = fileURLToPath(new URL('serve-recorded.js', import.meta.url));
/** Of both clients: whoever waited for a store that does not answer would wait so many milliseconds. */
const shortestTimeoutMs = 2000;

interface Answer {
  readonly counters: ReturnType<Profiler['counters']>;
  readonly state: StoreState;
  readonly processes: readonly ProcessAccount[];
}

/** An application in a process of its own, under load from here. */
class LoadedApp {
  readonly child: ChildProcess;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  #loops: Promise<PromiseSettledResult<void>[]> = Promise.resolve([]);
  #isOver = false;
  #times: number[] = [];

  constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.#port = port;
  }

  static async start(store: string): Promise<LoadedApp> {
    const child = fork(script, [store], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]; // what the script sends
    return new LoadedApp(child, port);
  }

  begin(): void {
    this.#isOver = false;
    this.#loops = Promise.allSettled(Array.from({ length: 3 }, () => this.#ask()));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    assert.deepEqual(
      (await this.#loops).filter(({ status }) => status === 'rejected'),
      [],
    );
  }

  /** Milliseconds of the requests since the last call, sorted. */
  takeTimes(): number[] {
    const times = this.#times.toSorted((a, b) => a - b);
    this.#times = [];
    return times;
  }

  get answered(): number {
    return this.#times.length;
  }

  async state(): Promise<Answer> {
    this.child.send('state');
    const [answer] = (await once(this.child, 'message')) as [Answer]; // what the script sends
    return answer;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#agent.destroy();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  async #ask(): Promise<void> {
    for (let id = 0; !this.#isOver; id++) {
      const begun = performance.now();
      const asked = get({ port: this.#port, path: `/items/${id}`, agent: this.#agent });
      const [response] = (await once(asked, 'response')) as [IncomingMessage]; // of the event
      assert.equal(response.statusCode, 200);
      response.resume();
      await once(response, 'end');
      this.#times.push(performance.now() - begun);
    }
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** Fails where the requests of a fault waited for the store; says how long they took. */
async function judge(context: TestContext, apps: readonly LoadedApp[], phase: string): Promise<void> {
  await sleep(800); // the fault that is measured
  await until(
    async () => apps.every((app) => app.answered > 30),
    `requests answered while the store was ${phase}`,
  );
  const times = apps.flatMap((app) => app.takeTimes()).toSorted((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  context.diagnostic(
    `${phase}: ${times.length} requests, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1 - 1e-9)} ms`,
  );
  assert.ok((times.at(-1) ?? 0) < shortestTimeoutMs, `${phase}: ${at(1 - 1e-9)} ms`);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 40_000;
  while (performance.now() < end) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`never came: ${what}`);
}

const disk = mkdtempSync(join(tmpdir(), 'lookback-small-disk-'));
/** Only an administrator can make a small file system. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=777', 'tmpfs', disk]).status === 0;
after(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const starts = { postgres: startOwnPostgres, redis: startOwnRedis };
for (const [kind, startServer] of Object.entries(starts)) {
  describe(`an application whose store is on a server that fails (${kind})`, () => {
    const stops: (() => Promise<void>)[] = [];
    let server: OwnServer;
    before(async () => {
      server = await startServer();
      stops.push(() => server.stop());
    });
    after(async () => {
      for (const stop of stops.reverse()) await stop();
    });

    it('answers as before while it is killed, hangs and comes back; afterwards the sum is right for the fleet', async (context) => {
      const apps = await Promise.all([LoadedApp.start(server.address), LoadedApp.start(server.address)]);
      for (const app of apps) stops.push(() => app.stop());
      const isStored = async (): Promise<boolean> => {
        const states = await Promise.all(apps.map((app) => app.state()));
        return states.every(({ state, counters }) => state.status === 'ready' && counters.stored > 0);
      };
      for (const app of apps) app.begin();
      await until(isStored, 'records of both');
      for (const app of apps) app.takeTimes();
      await judge(context, apps, 'there');

      await server.kill();
      await judge(context, apps, 'killed');
      for (const app of apps)
        await until(async () => {
          const { state } = await app.state();
          return state.status === 'failing' && state.code === 'PROFILER_STORE_AWAY';
        }, 'the store is called away');
      await server.start();
      await until(isStored, 'the store after it was killed');
      for (const app of apps) app.takeTimes();

      await server.pause();
      await judge(context, apps, 'stopped');
      await server.resume();
      await until(isStored, 'the store after it was stopped');

      for (const app of apps) await app.end();
      // What one process prunes of another's records is in that one's counters with its next look at the store:
      // the sums are judged in the answers in which both agree, since a later pruning changes them again.
      let answers: Awaited<ReturnType<LoadedApp['state']>>[] = [];
      await until(async () => {
        answers = await Promise.all(apps.map((app) => app.state()));
        return answers.every(({ counters: { made, stored, pending }, processes }, at) => {
          const account = processes.find(({ pid }) => pid === apps[at]?.child.pid);
          return (
            pending === 0 && account?.made === made && account.stored === stored && account.pending === 0
          );
        });
      }, 'all reported');
      for (const [at, { counters, processes }] of answers.entries()) {
        const { made, stored, pruned, dropped } = counters;
        assert.equal(made, stored + sum(pruned) + sum(dropped), 'of the process itself');
        const account = processes.find(({ pid }) => pid === apps[at]?.child.pid);
        assert.deepEqual(
          [account?.made, account?.stored, account?.pruned, account?.dropped, account?.pending],
          [made, stored, sum(pruned), sum(dropped), 0],
        );
        context.diagnostic(
          `${made} made = ${stored} stored + ${sum(pruned)} pruned + ${sum(dropped)} dropped, of them ${dropped['store-set-aside']} lost by the server`,
        );
      }
    });

    if (kind !== 'postgres') return;
    it(
      'records on while its disk is full, says so, and stores what waited when there is room',
      { skip: !isMounted && 'no small disk can be mounted' },
      async () => {
        const client = new pg.Client({ connectionString: server.address });
        await client.connect();
        spawnSync('chown', ['postgres', disk]);
        await client.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
        const profiler = createProfiler({
          store: createStore(`${server.address}?schema=full&options=-c%20default_tablespace%3Dsmall`),
          storeName: 'postgres',
          batch: { records: 10, delayMs: 20 },
          queue: { records: 100 },
        });
        try {
          const tokens: string[] = [];
          await until(async () => {
            for (let count = 0; count < 20; count++)
              tokens.push(watchRequest(profiler, { body: randomBytes(4000).toString('hex') }));
            await profiler.flush();
            return profiler.state().status === 'failing' && addUp(profiler).dropped['queue-full'] > 0;
          }, 'a full disk');
          assert.equal(profiler.state().code, 'PROFILER_STORE_FULL');
          await getRecord(profiler, tokens.at(-1) ?? '');
          spawnSync('mount', ['-o', 'remount,size=64m', disk]);
          await until(async () => addUp(profiler).pending === 0, 'what waited is stored');
          assert.equal(profiler.state().status, 'ready');
          await getRecord(profiler, tokens[0] ?? '');
          await getRecord(profiler, tokens.at(-1) ?? '');
          const { made, stored, dropped } = addUp(profiler);
          await until(async () => (await profiler.processes())[0]?.made === made, 'its account');
          const [account] = await profiler.processes();
          assert.deepEqual([account?.stored, account?.dropped], [stored, dropped['queue-full']]);
        } finally {
          await profiler.close();
          await client.query('DROP SCHEMA full CASCADE').catch(() => undefined);
          await client.query('DROP TABLESPACE small').catch(() => undefined);
          await client.end();
        }
      },
    );
  });
}
