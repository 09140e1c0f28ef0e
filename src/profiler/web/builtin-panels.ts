import { cachePanel } from '../panels/outgoing/cache-panel.js';
import { httpPanel } from '../panels/outgoing/http-panel.js';
import { jobsPanel } from '../panels/outgoing/jobs-panel.js';
import { mailPanel } from '../panels/outgoing/mail-panel.js';
import { tracePanel } from '../panels/outgoing/trace-panel.js';
import { configPanel } from '../panels/config-panel.js';
import { cpuPanel } from '../panels/cpu/cpu-panel.js';
import { dbPanel } from '../panels/db-panel.js';
import { dumpPanel } from '../panels/dump-panel.js';
import { eventsPanel } from '../panels/events-panel.js';
import { exceptionPanel } from '../panels/exception-panel.js';
import { logsPanel } from '../panels/logs-panel.js';
import { overviewPanel } from '../panels/overview-panel.js';
import type { Panel } from '../panels/panel.js';
import { requestPanel } from '../panels/request-panel.js';
import { routingPanel } from '../panels/routing-panel.js';
import { selfPanel } from '../panels/self-panel.js';
import { securityPanel } from '../panels/security-panel.js';
import { timePanel } from '../panels/time-panel.js';
import { translationPanel } from '../panels/translation-panel.js';
import { validationPanel } from '../panels/violations.js';
import { viewPanel } from '../panels/view-panel.js';

/** The built-in panels in menu order. */
export const builtinPanels: readonly Panel[] = [
  overviewPanel,
  requestPanel,
  exceptionPanel,
  logsPanel,
  routingPanel,
  eventsPanel,
  timePanel,
  cpuPanel,
  dbPanel,
  httpPanel,
  cachePanel,
  mailPanel,
  jobsPanel,
  tracePanel,
  dumpPanel,
  viewPanel,
  validationPanel,
  securityPanel,
  translationPanel,
  configPanel,
  selfPanel,
];
