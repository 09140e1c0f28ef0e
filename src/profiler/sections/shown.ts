import { findOverBudget } from './budgets/findings.js';
import { cachePanel } from './cache/panel.js';
import { commandPanel } from './commands/panel.js';
import { configPanel, selfPanel } from './configuration/panel.js';
import { cpuPanel } from './cpu/panel.js';
import { databaseFinders } from './database/findings.js';
import { dbPanel } from './database/panel.js';
import { dumpPanel } from './dumps/panel.js';
import { findFailedListeners } from './events/findings.js';
import { eventsPanel } from './events/panel.js';
import { exceptionFinders } from './exception/findings.js';
import { exceptionPanel } from './exception/panel.js';
import type { Finder } from './finding.js';
import { findFailedCalls } from './http-client/findings.js';
import { httpPanel } from './http-client/panel.js';
import { jobsPanel } from './jobs/panel.js';
import { findLoggedProblems, findNodeWarnings } from './logs/findings.js';
import { logsPanel } from './logs/panel.js';
import { mailPanel } from './mail/panel.js';
import type { Panel } from './panel.js';
import { requestFinders } from './request/findings.js';
import { requestPanel } from './request/panel.js';
import { routingPanel } from './routing/panel.js';
import { securityPanel } from './security/panel.js';
import { viewPanel } from './templates/panel.js';
import { timeFinders } from './time/findings.js';
import { timePanel } from './time/panel.js';
import { tracePanel } from './trace/panel.js';
import { findMissingMessages } from './translation/findings.js';
import { translationPanel } from './translation/panel.js';
import { findRefusedForm } from './validation/findings.js';
import { validationPanel } from './validation/panel.js';

/** A built-in section as pages, reports and the command line need it. */
interface ShownSection {
  readonly panel?: Panel;
  readonly findings?: readonly Finder[];
}

/** In menu order. Findings of equal weight are in this order too. */
export const shownSections: readonly ShownSection[] = [
  { panel: exceptionPanel, findings: exceptionFinders },
  { panel: timePanel, findings: timeFinders },
  { panel: dbPanel, findings: databaseFinders },
  { panel: httpPanel, findings: [findFailedCalls] },
  { panel: cachePanel },
  { panel: mailPanel },
  { panel: jobsPanel },
  { panel: commandPanel },
  { panel: viewPanel },
  { panel: logsPanel, findings: [findLoggedProblems, findNodeWarnings] },
  { panel: dumpPanel },
  { panel: tracePanel },
  { panel: cpuPanel },
  { panel: requestPanel, findings: requestFinders },
  { panel: routingPanel },
  { panel: validationPanel, findings: [findRefusedForm] },
  { panel: securityPanel },
  { panel: translationPanel, findings: [findMissingMessages] },
  { panel: eventsPanel, findings: [findFailedListeners] },
  { findings: [findOverBudget] },
  { panel: configPanel },
  { panel: selfPanel },
];
