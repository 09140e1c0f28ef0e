import { browserPanel } from './browser/panel.js';
import { cachePanel } from './cache/panel.js';
import { commandPanel } from './commands/panel.js';
import { configPanel, selfPanel } from './configuration/panel.js';
import { cpuPanel } from './cpu/panel.js';
import { dbPanel } from './database/panel.js';
import { dumpPanel } from './dumps/panel.js';
import { eventsPanel } from './events/panel.js';
import { exceptionPanel } from './exception/panel.js';
import { httpPanel } from './http-client/panel.js';
import { jobsPanel } from './jobs/panel.js';
import { logsPanel } from './logs/panel.js';
import { mailPanel } from './mail/panel.js';
import type { Panel } from './panel.js';
import { requestPanel } from './request/panel.js';
import { routingPanel } from './routing/panel.js';
import { securityPanel } from './security/panel.js';
import { viewPanel } from './templates/panel.js';
import { timePanel } from './time/panel.js';
import { tracePanel } from './trace/panel.js';
import { translationPanel } from './translation/panel.js';
import { validationPanel } from './validation/panel.js';

/** The built-in sections' panels for pages, reports and the command line, in menu order. */
export const shownSections: readonly Panel[] = [
  exceptionPanel,
  timePanel,
  dbPanel,
  httpPanel,
  cachePanel,
  mailPanel,
  jobsPanel,
  commandPanel,
  viewPanel,
  logsPanel,
  dumpPanel,
  browserPanel,
  tracePanel,
  cpuPanel,
  requestPanel,
  routingPanel,
  validationPanel,
  securityPanel,
  translationPanel,
  eventsPanel,
  configPanel,
  selfPanel,
];
