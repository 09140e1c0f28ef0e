import { isAbsolute } from 'node:path';
import { ownSourceFolders } from '#errors';
import { type CpuSection, unseenCall } from '../../watch/cpu/cpu-section.js';

/** A call of the tree, with the time in it. */
export interface Call {
  readonly place: number;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly parent: number;
  readonly children: number[];
  selfUs: number;
  totalUs: number;
}

/** What is named like a call and is none. */
const idle = '(idle)';

/** The tree of calls with their times, parents first, and how the time of the process was divided. */
export function readCallTree({ functions, nodes, samples }: CpuSection): {
  readonly calls: readonly Call[];
  readonly idleUs: number;
  readonly unseenUs: number;
  readonly collectingUs: number;
} {
  const calls = nodes.map(({ call, parent }, place): Call => {
    const { name = '', file = '', line = 0, column = 0 } = functions[call] ?? {};
    return {
      place,
      name: name || '(anonymous)',
      file,
      line,
      column,
      parent: parent - 1,
      children: [],
      selfUs: 0,
      totalUs: 0,
    };
  });
  for (const { node, us } of samples) {
    const call = calls[node];
    if (call !== undefined) call.selfUs += us;
  }
  const named = (name: string): number =>
    calls.reduce((sum, call) => sum + (call.file === '' && call.name === name ? call.selfUs : 0), 0);
  // Children stand behind their parents.
  for (const call of calls.toReversed()) {
    if (call.file === '' && (call.name === idle || call.name === unseenCall)) continue;
    call.totalUs += call.selfUs;
    const parent = calls[call.parent];
    if (parent === undefined) continue;
    parent.totalUs += call.totalUs;
    if (call.totalUs > 0) parent.children.push(call.place);
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

/** Time in each function, over all its callers: in itself, and with what it called (once, where it calls itself). */
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

/** Whether a call is of the application: a file that no package manager put there, and none of ours. */
export function isOwnCall({ file }: Pick<Call, 'file'>): boolean {
  const isOurs = ownSourceFolders.some((folder) => file.startsWith(folder));
  return isAbsolute(file) && !isOurs && !/[\\/]node_modules[\\/]/.test(file);
}
