import { isAbsolute } from 'node:path';
import { ownSourceFolders } from '#core/errors';
import { type CpuSection, unseenCall } from '../../recording/cpu-profiler.js';

type Place = CpuSection['functions'][number];
const unknownPlace: Place = { name: '', file: '', line: 0, column: 0 };

/** A call in the tree, with times in microseconds. */
export interface Call extends Place {
  readonly index: number;
  readonly parent: number;
  readonly children: number[];
  selfUs: number;
  totalUs: number;
}

/** V8's pseudo-function for idle time. */
const idle = '(idle)';

/** Reads the call tree with its times, parents first, and the process's idle, unsampled and garbage collection time. */
export function readCallTree({ functions, nodes, samples }: CpuSection): {
  readonly calls: readonly Call[];
  readonly idleUs: number;
  readonly unseenUs: number;
  readonly collectingUs: number;
} {
  const calls = nodes.map(({ call, parent }, index): Call => {
    const { name, ...place } = functions[call] ?? unknownPlace;
    const times = { selfUs: 0, totalUs: 0 };
    return { ...place, name: name || '(anonymous)', index, parent: parent - 1, children: [], ...times };
  });
  for (const { node, us } of samples) {
    const call = calls[node];
    if (call !== undefined) call.selfUs += us;
  }
  const named = (name: string): number =>
    calls.reduce((sum, call) => sum + (call.file === '' && call.name === name ? call.selfUs : 0), 0);
  // Children come after their parents, so the reverse order sums up children first.
  for (const call of calls.toReversed()) {
    if (call.file === '' && (call.name === idle || call.name === unseenCall)) continue;
    call.totalUs += call.selfUs;
    const parent = calls[call.parent];
    if (parent === undefined) continue;
    parent.totalUs += call.totalUs;
    if (call.totalUs > 0) parent.children.push(call.index);
  }
  for (const { children } of calls)
    children.sort((a, b) => (calls[b]?.totalUs ?? 0) - (calls[a]?.totalUs ?? 0));
  return {
    calls,
    idleUs: named(idle),
    unseenUs: named(unseenCall),
    collectingUs: named('(garbage collector)'),
  };
}

/** Sums the self and total time of each function over all callers. Recursive calls count once in the total. */
export function sumFunctions(calls: readonly Call[]): readonly Call[] {
  const sums = new Map<string, Call>();
  const above = (call: Call, key: string): boolean => {
    for (let one = calls[call.parent]; one !== undefined; one = calls[one.parent])
      if (keyOf(one) === key) return true;
    return false;
  };
  for (const call of calls) {
    if (call.totalUs === 0 || call.parent === -1) continue;
    const key = keyOf(call);
    const sum = sums.get(key) ?? { ...call, selfUs: 0, totalUs: 0 };
    sum.selfUs += call.selfUs;
    if (!above(call, key)) sum.totalUs += call.totalUs;
    sums.set(key, sum);
  }
  return [...sums.values()];
}

function keyOf({ name, file, line, column }: Call): string {
  return `${file}:${line}:${column}:${name}`;
}

/** Returns whether a call belongs to the application: its file is outside `node_modules` and outside lookback. */
export function isOwnCall({ file }: Pick<Call, 'file'>): boolean {
  const isOurs = ownSourceFolders.some((folder) => file.startsWith(folder));
  return isAbsolute(file) && !isOurs && !/[\\/]node_modules[\\/]/.test(file);
}
