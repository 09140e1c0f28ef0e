/**
 * Observes the libraries that an application uses, for the records of its requests. Instrumentations depend neither on
 * each other nor on the kernel. They recognise libraries by shape or diagnostics channels, and never load them.
 */
export {
  startInstrumentations,
  type StartedInstrumentations,
} from './instrumentation/start-instrumentation.js';
export { describeSkipped, findLibraries, reportSkipped } from './instrumentation/libraries.js';
export { type FrameworkPatch, instrumentedFrameworks } from './instrumentation/frameworks.js';
export {
  describeLibraries,
  libraryChanges,
  type LibraryLine,
  type LoadedLibrary,
  loadedLibraries,
  watchLibraries,
} from './instrumentation/loaded-libraries.js';
export { queryExplainer } from './instrumentation/explain/query-explainer.js';
export { recordQueries } from './instrumentation/queries/record-queries.js';
export { recordQuery, type FinishedQuery } from './instrumentation/queries/record-query.js';
export { mailFiles } from './instrumentation/mail/mail-files.js';
export type { FiledMail, MailFiles, MailFilesOptions } from './instrumentation/mail/mail-files.js';
export { recordMail } from './instrumentation/mail/nodemailer.js';
export { recordLogs } from './instrumentation/logs/loggers.js';
export { recordJobs } from './instrumentation/jobs/bullmq.js';
export { createSpanProcessor, type RecordSpanProcessor } from './instrumentation/spans/span-processor.js';
