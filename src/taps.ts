/**
 * Observations of the libraries that an application uses, for the records of its requests. Taps know neither each other
 * nor the kernel; each library is known by its shape or its diagnostics channels, and none is loaded here.
 */
export { startTaps, type StartedTaps } from './taps/start-taps.js';
export { queryExplainer } from './taps/explain/query-explainer.js';
export { recordQueries } from './taps/queries/record-queries.js';
export { recordQuery, type FinishedQuery } from './taps/queries/record-query.js';
export { recordMail } from './taps/mail/nodemailer.js';
export { recordLogs } from './taps/logs/winston.js';
export { recordJobs } from './taps/jobs/bullmq.js';
export { createSpanProcessor, type RecordSpanProcessor } from './taps/spans/span-processor.js';
export { stopRecording } from './taps/source/stop-recording.js';
