import type { Redactor } from '#core/dump';
import type { Budgets, Collector } from '../model/collector.js';
import { createBudgetCollector } from './budgets/create-budget-collector.js';
import { loopCollector } from './event-loop/loop-collector.js';
import { createSpanCollector } from './spans/span-collector.js';
import { cpuSectionOf } from '../recording/cpu-profiler.js';
import { type CompletedPart, definePart } from './define-part.js';

/** Returns the built-in collectors and the given ones. The budget collector is last, since it uses the others' numbers. */
export function allCollectors(
  { collectors = [], budgets }: { collectors?: readonly Collector[]; budgets?: Budgets | undefined },
  redactor: Redactor,
  dumps: Collector,
): readonly Collector[] {
  return [
    createSpanCollector(redactor),
    cpuCollector,
    loopCollector,
    dumps,
    ...collectors,
    ...(budgets === undefined ? [] : [createBudgetCollector(budgets)]),
  ];
}

export const cpuPart: CompletedPart = definePart({ name: 'cpu' });

/** Collects the CPU profile of a request, as `cpu`. */
export const cpuCollector: Collector = {
  name: 'cpu',
  part: cpuPart,
  collect: ({ request }) => cpuSectionOf(request.scope),
};
