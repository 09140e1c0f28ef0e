import { configPanel } from './config-panel.js';
import { dbPanel } from './db-panel.js';
import { eventsPanel } from './events-panel.js';
import { exceptionPanel } from './exception-panel.js';
import { logsPanel } from './logs-panel.js';
import type { Panel } from './panel.js';
import { requestPanel } from './request-panel.js';
import { routingPanel } from './routing-panel.js';
import { securityPanel } from './security-panel.js';
import { timePanel } from './time-panel.js';
import { translationPanel } from './translation-panel.js';

/** The panels of every record, in the order of the menu. */
export const builtinPanels: readonly Panel[] = [
  requestPanel,
  exceptionPanel,
  logsPanel,
  routingPanel,
  eventsPanel,
  timePanel,
  dbPanel,
  securityPanel,
  translationPanel,
  configPanel,
];
