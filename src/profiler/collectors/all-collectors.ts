import type { Budgets, Collector } from '../model/collector.js';
import { cpuCollector } from '../watch/cpu/cpu-profiler.js';
import { loopCollector } from '../watch/loop-collector.js';
import { createBudgetCollector } from './create-budget-collector.js';
import { spanCollector } from './span-collector.js';

/** Returns the built-in collectors and the given ones. The budget collector is last, since it uses the others' numbers. */
export function allCollectors(
  { collectors = [], budgets }: { collectors?: readonly Collector[]; budgets?: Budgets | undefined },
  dumps: Collector,
): readonly Collector[] {
  return [spanCollector, cpuCollector, loopCollector, dumps, ...collectors, createBudgetCollector(budgets)];
}
