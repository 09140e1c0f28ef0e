import {
  cachePanel,
  httpPanel,
  jobsPanel,
  mailPanel,
  tracePanel,
} from '../panels/outgoing/outgoing-panels.js';
import { configPanel, selfPanel } from '../panels/self-panel.js';
import { cpuPanel } from '../panels/cpu/cpu-panel.js';
import { dbPanel } from '../panels/db-panel.js';
import { dumpPanel, eventsPanel, translationPanel, viewPanel } from '../panels/application-panels.js';
import { exceptionPanel } from '../panels/exception-panel.js';
import { logsPanel } from '../panels/logs-panel.js';
import { overviewPanel } from '../panels/overview-panel.js';
import type { Panel } from '../panels/panel.js';
import { requestPanel } from '../panels/request-panel.js';
import { routingPanel } from '../panels/routing-panel.js';
import { securityPanel } from '../panels/security-panel.js';
import { timePanel } from '../panels/time-panel.js';

/** The built-in panels in menu order. */
export const builtinPanels: readonly Panel[] = [
  overviewPanel,
  exceptionPanel,
  timePanel,
  dbPanel,
  httpPanel,
  cachePanel,
  mailPanel,
  jobsPanel,
  viewPanel,
  logsPanel,
  dumpPanel,
  tracePanel,
  cpuPanel,
  requestPanel,
  routingPanel,
  securityPanel,
  translationPanel,
  eventsPanel,
  configPanel,
  selfPanel,
];
