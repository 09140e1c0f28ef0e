/** Instruments an application's libraries. */
export {
  createSpanProcessor,
  type FiledMail,
  type FinishedQuery,
  mailFiles,
  type MailFiles,
  type MailFilesOptions,
  queryExplainer,
  recordJobs,
  recordLogs,
  recordMail,
  recordQueries,
  recordQuery,
  type RecordSpanProcessor,
  type StartedInstrumentations,
  startInstrumentations,
} from './profiler/instrumentation.js';
