import type { Redactor } from '#core/dump';
import { createBudgetCollector } from './budgets/collect.js';
import { createCacheCollector } from './cache/collect.js';
import { createCommandCollector } from './commands/collect.js';
import { cpuCollector } from './cpu/collect.js';
import { createDbCollector } from './database/collect.js';
import { createDumpCollector } from './dumps/collect.js';
import { loopCollector } from './event-loop/collect.js';
import { createHeaderCollector } from './headers/collect.js';
import { createHttpCollector } from './http-client/collect.js';
import { createJobsCollector } from './jobs/collect.js';
import { createMailCollector } from './mail/collect.js';
import { multipartCollector } from './multipart/collect.js';
import type { Budgets, CollectedSection, Section } from './section.js';
import { createSecurityCollector } from './security/collect.js';
import { createSpanCollector } from './spans/collect.js';
import { createRenderCollector } from './templates/collect.js';
import { throwsCollector } from './throws/collect.js';
import { traceCollector } from './trace/collect.js';
import { createTranslationCollector } from './translation/collect.js';
import { createValidationCollector } from './validation/collect.js';

/**
 * Creates a profiler's sections in collection order: the main-thread side of the built-in ones, and the application's
 * own. Budgets come last, because they compare numbers from the others. Most sections subscribe to diagnostics channels
 * for the whole process until `close`.
 */
export function createSections({
  redactor,
  own = [],
  budgets = {},
}: {
  readonly redactor: Redactor;
  readonly own?: readonly Section[] | undefined;
  readonly budgets?: Budgets | undefined;
}): readonly (CollectedSection | Section)[] {
  return [
    createSpanCollector(redactor),
    cpuCollector,
    loopCollector,
    createDumpCollector({ redactor }),
    createHeaderCollector(),
    createSecurityCollector(),
    createTranslationCollector(),
    createRenderCollector(),
    createValidationCollector({ redactor }),
    createCommandCollector(redactor),
    multipartCollector,
    createDbCollector({ redactor }),
    createHttpCollector(),
    createCacheCollector(),
    createMailCollector(),
    createJobsCollector(redactor),
    traceCollector,
    throwsCollector,
    ...own,
    createBudgetCollector(budgets),
  ];
}
