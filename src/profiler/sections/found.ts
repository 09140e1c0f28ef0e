import { findInBrowser } from './browser/findings.js';
import { findOverBudget } from './budgets/findings.js';
import { databaseFinders } from './database/findings.js';
import { findFailedListeners } from './events/findings.js';
import { exceptionFinders } from './exception/findings.js';
import { type Finder, ofKind } from './finding.js';
import { findFailedCalls } from './http-client/findings.js';
import { findLoggedProblems, findNodeWarnings, findPromisesInLogs } from './logs/findings.js';
import { requestFinders } from './request/findings.js';
import { timeFinders } from './time/findings.js';
import { findHandledErrors, handledErrorKind } from './throws/findings.js';
import { findMissingMessages } from './translation/findings.js';
import { findRefusedForm } from './validation/findings.js';

/** The built-in sections' finders, in menu order; loaded only where records are written. */
export const foundSections: readonly Finder[] = [
  ...exceptionFinders,
  ...timeFinders,
  ...databaseFinders,
  ofKind('failed-call', findFailedCalls),
  ofKind('log-error', findLoggedProblems),
  ofKind('node-warning', findNodeWarnings),
  ofKind(handledErrorKind, findHandledErrors),
  ofKind('not-awaited', findPromisesInLogs),
  ...requestFinders,
  ofKind('refused-input', findRefusedForm),
  ofKind('missing-message', findMissingMessages),
  ofKind('failed-listener', findFailedListeners),
  ofKind('over-budget', findOverBudget),
  findInBrowser,
];
