/**
 * Observes the libraries that an application uses, for the records of its requests. Taps depend neither on each other nor
 * on the kernel. Libraries are recognised by their shape or diagnostics channels, and are never loaded here.
 */
export { startTaps, type StartedTaps } from './taps/start-taps.js';
export { queryExplainer } from './taps/explain/query-explainer.js';
export { recordQueries } from './taps/queries/record-queries.js';
export { recordQuery, type FinishedQuery } from './taps/queries/record-query.js';
export { recordMail } from './taps/mail/nodemailer.js';
export { recordLogs } from './taps/logs/loggers.js';
export { recordJobs } from './taps/jobs/bullmq.js';
export { createSpanProcessor, type RecordSpanProcessor } from './taps/spans/span-processor.js';
