import { browserFinders } from './browser/findings.js';
import { budgetFinders } from './budgets/findings.js';
import { budgetDefinition } from './budgets/section.js';
import { cacheDefinition } from './cache/section.js';
import { commandDefinition } from './commands/section.js';
import { cpuDefinition } from './cpu/section.js';
import { databaseFinders } from './database/findings.js';
import { dbDefinition } from './database/section.js';
import { dumpDefinition } from './dumps/section.js';
import { loopDefinition } from './event-loop/section.js';
import { eventFinders } from './events/findings.js';
import { exceptionFinders } from './exception/findings.js';
import type { Finder, StepsOf } from './finding.js';
import { headersDefinition } from './headers/section.js';
import { httpFinders } from './http-client/findings.js';
import { httpDefinition } from './http-client/section.js';
import { jobsDefinition } from './jobs/section.js';
import { logFinders } from './logs/findings.js';
import { mailDefinition } from './mail/section.js';
import { multipartDefinition } from './multipart/section.js';
import { requestFinders } from './request/findings.js';
import type { SectionDefinition } from './section.js';
import { securityDefinition } from './security/section.js';
import { spansDefinition } from './spans/section.js';
import { renderDefinition } from './templates/section.js';
import { throwsFinders } from './throws/findings.js';
import { throwsDefinition } from './throws/section.js';
import { timeFinders } from './time/findings.js';
import { traceDefinition } from './trace/section.js';
import { translationFinders } from './translation/findings.js';
import { translationDefinition } from './translation/section.js';
import { validationFinders } from './validation/findings.js';
import { validationDefinition } from './validation/section.js';

/** A built-in section's writer-thread side. One without a collector has no definition: it reads the record. */
interface CompletedSection {
  readonly definition?: SectionDefinition;
  readonly finders?: readonly Finder[];
}

/** In menu order, which is also the order of equally important findings. */
const sections: readonly CompletedSection[] = [
  { finders: exceptionFinders },
  { finders: timeFinders },
  { definition: dbDefinition, finders: databaseFinders },
  { definition: httpDefinition, finders: httpFinders },
  { definition: cacheDefinition },
  { definition: mailDefinition },
  { definition: jobsDefinition },
  { definition: commandDefinition },
  { definition: renderDefinition },
  { finders: logFinders },
  { definition: throwsDefinition, finders: throwsFinders },
  { definition: dumpDefinition },
  { definition: traceDefinition },
  { definition: cpuDefinition },
  { definition: loopDefinition },
  { finders: requestFinders },
  { definition: headersDefinition },
  { definition: multipartDefinition },
  { definition: validationDefinition, finders: validationFinders },
  { definition: securityDefinition },
  { definition: translationDefinition, finders: translationFinders },
  { definition: spansDefinition },
  { finders: eventFinders },
  { definition: budgetDefinition, finders: budgetFinders },
  { finders: browserFinders },
];

/** The built-in sections' definitions, by id. */
export const completedSections: ReadonlyMap<string, SectionDefinition> = new Map(
  sections.flatMap(({ definition }) => (definition === undefined ? [] : [[definition.id, definition]])),
);

/** The built-in sections' finders. */
export const finders: readonly Finder[] = sections.flatMap((section) => section.finders ?? []);

export const stepsOf: StepsOf = (section = '') => completedSections.get(section)?.steps;
