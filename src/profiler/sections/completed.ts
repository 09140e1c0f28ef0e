import { budgetDefinition } from './budgets/section.js';
import { cacheDefinition } from './cache/section.js';
import { commandDefinition } from './commands/section.js';
import { cpuDefinition } from './cpu/section.js';
import { dbDefinition } from './database/section.js';
import { dumpDefinition } from './dumps/section.js';
import { headersDefinition } from './headers/section.js';
import { httpDefinition } from './http-client/section.js';
import { jobsDefinition } from './jobs/section.js';
import { loopDefinition } from './event-loop/section.js';
import { mailDefinition } from './mail/section.js';
import { multipartDefinition } from './multipart/section.js';
import { renderDefinition } from './templates/section.js';
import { securityDefinition } from './security/section.js';
import { spansDefinition } from './spans/section.js';
import { throwsDefinition } from './throws/section.js';
import { traceDefinition } from './trace/section.js';
import { translationDefinition } from './translation/section.js';
import { validationDefinition } from './validation/section.js';
import type { SectionDefinition } from './section.js';

const definitions: readonly SectionDefinition[] = [
  budgetDefinition,
  cacheDefinition,
  commandDefinition,
  cpuDefinition,
  dbDefinition,
  dumpDefinition,
  headersDefinition,
  httpDefinition,
  jobsDefinition,
  loopDefinition,
  mailDefinition,
  multipartDefinition,
  renderDefinition,
  securityDefinition,
  spansDefinition,
  throwsDefinition,
  traceDefinition,
  translationDefinition,
  validationDefinition,
];

/** The built-in sections' writer-thread side, by id. */
export const completedSections: ReadonlyMap<string, SectionDefinition> = new Map(
  definitions.map((definition) => [definition.id, definition]),
);
