import type { Session } from 'node:inspector';
import { type CodePosition, originalPlace } from '#core/errors';
import { createScopeKey, type Scope } from '#core/scope';

/** A record's `cpu` section: the process's CPU profile while the request ran. */
export interface CpuSection {
  /** Why there is no profile; empty if there is one. */
  readonly refusal: string;
  readonly durationMs: number;
  /** The time limit was reached, or samples were discarded. */
  readonly isCut: boolean;
  /** Number of requests that began during the profile, which includes their work. */
  readonly others: number;
  readonly functions: readonly (CodePosition & { readonly name: string })[];
  /** Call tree, parents first: function index, and parent node index + 1 (0: the root). */
  readonly nodes: readonly { readonly call: number; readonly parent: number }[];
  /** Consecutive equal samples: node index, and CPU time in microseconds. */
  readonly samples: readonly { readonly node: number; readonly us: number }[];
}

/** A profile as returned by V8 (`Profiler.Profile` of the DevTools protocol). */
export interface V8Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly endTime: number;
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

const cpuOf = createScopeKey<CpuSection>('CPU profile');
/** Microseconds between two samples. */
const interval = 200;
const longestMs = 30_000;

/** The request being profiled. */
interface CpuRun {
  readonly token: string;
  readonly scope: Scope;
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
  /** Microseconds spent starting the sampler. */
  readonly startUs: number;
  /** Number of requests that have begun since. */
  others: number;
}

/** Owns V8's sampler. There is one per process: two concurrent profiles would both lose samples. */
let holder: CpuProfiler | undefined;

/** Runs V8's CPU sampler for one request at a time, from before it is handled until its last byte is sent. */
export class CpuProfiler {
  #run: CpuRun | undefined;

  /**
   * Called at the beginning of every request. Starts the sampler if a profile is wanted, and counts requests
   * that overlap a running profile.
   */
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

export function cpuSectionOf(scope: Scope): CpuSection | undefined {
  return scope.getOwn(cpuOf);
}

function refuse(scope: Scope, refusal: string): void {
  scope.set(cpuOf, {
    refusal,
    durationMs: 0,
    isCut: false,
    others: 0,
    functions: [],
    nodes: [],
    samples: [],
  });
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

/** Pseudo-function for time in which the sampler was not scheduled, so the running code is unknown. */
export const unseenCall = '(not sampled)';
/** Maximum time attributed to one sample, in microseconds; the rest counts as not sampled. */
const maxSampleUs = 5000;
const unseenNode = -1;

/** Limits for a profile: nodes, samples, and characters in a function name. */
const bounds = { nodes: 4000, samples: 20_000, name: 120 };

/** Deduplicates functions and merges consecutive equal samples. Samples in pruned branches count towards their parents. */
export function keepProfile(
  profile: V8Profile,
  seen: { readonly isCut: boolean; readonly others: number; readonly startUs: number },
): CpuSection {
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  // The profile includes the start of the sampler itself, which is skipped.
  const from = Math.min(profile.startTime + seen.startUs, profile.endTime);
  const runs = runsOf(profile, from);
  const kept = busiest(profile, runs, parents);
  const locations = new Map<number, number>();
  const functions: CpuSection['functions'][number][] = [];
  const calls = new Map<string, number>();
  const nodes = profile.nodes.flatMap(({ id, callFrame }) => {
    if (!kept.has(id)) return [];
    locations.set(id, locations.size);
    const { functionName, url, lineNumber, columnNumber } = callFrame;
    const key = `${url}:${lineNumber}:${columnNumber}:${functionName}`;
    let call = calls.get(key);
    if (call === undefined) {
      calls.set(key, (call = functions.length));
      const name = functionName.slice(0, bounds.name);
      const location = { line: Math.max(0, lineNumber + 1), column: Math.max(0, columnNumber + 1) };
      functions.push({ name, file: url, ...(originalPlace(url, location) ?? location) });
    }
    return [{ call, parent: (locations.get(parents.get(id) ?? -1) ?? -1) + 1 }];
  });
  functions.push({ name: unseenCall, file: '', line: 0, column: 0 });
  nodes.push({ call: functions.length - 1, parent: 1 });
  locations.set(unseenNode, nodes.length - 1);
  const samples = runs.slice(0, bounds.samples).map(({ node, us }) => {
    let id: number | undefined = node;
    while (id !== undefined && id !== unseenNode && !kept.has(id)) id = parents.get(id);
    return { node: locations.get(id ?? -1) ?? 0, us };
  });
  const isCut = seen.isCut || runs.length > bounds.samples || kept.size < profile.nodes.length;
  const durationMs = (profile.endTime - from) / 1000;
  return { refusal: '', durationMs, isCut, others: seen.others, functions, nodes, samples };
}

/** Attributes the time between two samples to the first, and merges consecutive equal samples. */
function runsOf(
  { samples = [], timeDeltas = [], startTime, endTime }: V8Profile,
  from: number,
): { node: number; us: number }[] {
  const runs: { node: number; us: number }[] = [];
  const add = (node: number, us: number): void => {
    const last = runs.at(-1);
    if (us <= 0) return;
    if (last?.node === node) last.us += us;
    else runs.push({ node, us });
  };
  let at = startTime;
  for (const [index, node] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    const next = index + 1 < samples.length ? at + (timeDeltas[index + 1] ?? 0) : endTime;
    const us = next - Math.max(at, from);
    add(node, Math.min(us, maxSampleUs));
    add(unseenNode, us - maxSampleUs);
  }
  return runs;
}

/**
 * Selects the nodes with the most time in their subtrees. Parents are always included, because their time is at
 * least as long.
 */
function busiest(
  { nodes }: V8Profile,
  runs: readonly { node: number; us: number }[],
  parents: ReadonlyMap<number, number>,
): ReadonlySet<number> {
  if (nodes.length <= bounds.nodes) return new Set(nodes.map(({ id }) => id));
  const totals = new Map<number, number>();
  for (const { node, us } of runs)
    for (let id: number | undefined = node; id !== undefined; id = parents.get(id))
      totals.set(id, (totals.get(id) ?? 0) + us);
  // The sort is stable: a parent stays before children with the same time.
  const sorted = nodes.toSorted((a, b) => (totals.get(b.id) ?? 0) - (totals.get(a.id) ?? 0));
  return new Set(sorted.slice(0, bounds.nodes).map(({ id }) => id));
}
