import type { Session } from 'node:inspector';
import { createScopeKey, type Scope } from '#scope';
import { type CpuSection, keepProfile, refusedCpu, type V8Profile } from './cpu-section.js';

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
  /** Microseconds spent starting the sampler. */
  readonly startUs: number;
  /** Number of requests that began in the meantime. */
  others: number;
}

/**
 * The profiler that currently uses V8's sampler. Module state because the sampler is one per process: if two run at once
 * (of two applications, say), both miss most of their samples.
 */
let holder: CpuProfiler | undefined;

/**
 * Runs V8's CPU sampler for one request at a time. `node:inspector` is loaded on first use. Its calls are synchronous, so
 * the sampler runs before the request is handled; it is stopped after the last byte.
 */
export class CpuProfiler {
  #run: CpuRun | undefined;

  /** Called for every request that begins. Starts the sampler if a profile is wanted; counts the request if one is running. */
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
      // oxlint-disable-next-line typescript/no-this-alias -- the other instances must see which one uses the sampler
      holder = this;
    } catch (error) {
      const words = error instanceof Error ? error.message : 'unknown failure';
      refuse(scope, `No CPU profile can be taken here: ${words}`);
    }
  }

  /** Called for every request that ends. */
  end(token: string, { isCut }: { readonly isCut: boolean } = { isCut: false }): void {
    const run = this.#run;
    if (run?.token !== token) return;
    this.#run = holder = undefined;
    clearTimeout(run.timer);
    run.session.post('Profiler.stop', (error, result) => {
      if (error !== null) return refuse(run.scope, error.message);
      const profile = result.profile as V8Profile; // as the DevTools protocol specifies
      run.scope.set(cpuOf, keepProfile(profile, { isCut, others: run.others, startUs: run.startUs }));
    });
    run.session.disconnect();
  }
}

/** Returns the CPU profile of a request, if one was taken. */
export function cpuSectionOf(scope: Scope): CpuSection | undefined {
  return scope.getOwn(cpuOf);
}

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
