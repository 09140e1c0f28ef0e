import type { Session } from 'node:inspector';
import { createScopeKey, type Scope } from '#scope';
import { definePart } from '../../form/define-part.js';
import type { Collector } from '../../model/collector.js';
import { cpuForm, type CpuSection, keepProfile, refusedCpu, type V8Profile } from './cpu-section.js';

const cpuOf = createScopeKey<CpuSection>('CPU profile');
/** Microseconds between two samples. */
const interval = 200;
const longestMs = 30_000;

/** The request whose profile is being taken. */
interface CpuRun {
  readonly token: string;
  readonly scope: Scope;
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
  /** Microseconds that it took to switch the sampler on. */
  readonly startUs: number;
  /** Requests that began meanwhile. */
  others: number;
}

/** Whose V8's sampler is: two that run at once, of two applications, say, miss most of what they should see. */
let holder: CpuProfiler | undefined;

/**
 * V8's sampler, on for one request at a time. It is loaded on first use, and its calls are over when they return:
 * it runs before the request is handled, and is stopped behind the last byte.
 */
export class CpuProfiler {
  #run: CpuRun | undefined;

  /** For every request that begins: one that requests a profile is sampled, the others are counted. */
  begin(token: string, scope: Scope, options: { readonly isWanted: boolean }): void {
    const running = holder === undefined ? undefined : holder.#run;
    if (running !== undefined) running.others++;
    if (!options.isWanted) return;
    if (running !== undefined)
      return refuse(scope, `Another request (${running.token}) was being profiled. Try again.`);
    try {
      const asked = performance.now();
      const session = startSampling();
      const startUs = (performance.now() - asked) * 1000;
      const timer = setTimeout(() => this.end(token, { isCut: true }), longestMs);
      timer.unref();
      this.#run = { token, scope, session, timer, startUs, others: 0 };
      // oxlint-disable-next-line typescript/no-this-alias -- who has the sampler, for the others to see
      holder = this;
    } catch (error) {
      const words = error instanceof Error ? error.message : 'unknown failure';
      refuse(scope, `No CPU profile can be taken here: ${words}`);
    }
  }

  /** For every request that ends. */
  end(token: string, { isCut }: { readonly isCut: boolean } = { isCut: false }): void {
    const run = this.#run;
    if (run?.token !== token) return;
    this.#run = holder = undefined;
    clearTimeout(run.timer);
    run.session.post('Profiler.stop', (error, result) => {
      if (error !== null) return refuse(run.scope, error.message);
      const profile = result.profile as V8Profile; // as the protocol says
      run.scope.set(cpuOf, keepProfile(profile, { isCut, others: run.others, startUs: run.startUs }));
    });
    run.session.disconnect();
  }
}

/** Keeps what the sampler found. */
export const cpuCollector: Collector = {
  name: 'cpu',
  part: definePart(cpuForm),
  collect: ({ request }) => request.scope.getOwn(cpuOf),
};

function refuse(scope: Scope, refusal: string): void {
  scope.set(cpuOf, refusedCpu(refusal));
}

function startSampling(): Session {
  const { Session: Inspector } = process.getBuiltinModule('node:inspector');
  const session = new Inspector();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval });
  session.post('Profiler.start');
  return session;
}
