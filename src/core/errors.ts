/** Errors that set the response status, reports of thrown values, and renderers of reports: HTML, JSON, Markdown, text. */
export { HttpError, isHttpError } from './errors/status/http-errors.js';
export type { ErrorHeaders, HttpErrorOptions, Violation } from './errors/status/http-errors.js';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HeaderFieldsTooLargeError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  RequestTimeoutError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from './errors/status/http-errors.js';
export type {
  ErrorReport,
  Excerpt,
  FrameKind,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from './errors/report/error-report.js';
export type {
  ErrorHistory,
  FailedCall,
  FailedStatement,
  InputDifference,
} from './errors/report/error-report.js';
export type { ErrorPageContext, PageLogEntry, PageRouteTrace } from './errors/report/error-report.js';
export type { LoadedSource, SourceLoader, SourcePosition } from './errors/source/create-source-loader.js';
export {
  describeLocation,
  ownSourceFolders,
  parseStack,
  pathOfFile,
  type StackFrame,
} from './errors/source/parse-stack.js';
export {
  captureCallSites,
  type CodePosition,
  originalLocation as originalPlace,
  type StackLocation as StackPlace,
} from './errors/source/capture-call-sites.js';
export { CallSiteMemory, isApplicationFile, type CapturedSites } from './errors/source/capture-call-sites.js';
export { describeThrown, errorCode, errorMessage, errorName, isError } from './errors/thrown/read-thrown.js';
export { readThrown } from './errors/thrown/read-thrown.js';
export { throwsIn } from './errors/thrown/seen-throws.js';
export { describeLeadError, findLeadError, type LeadError } from './errors/present/lead-error.js';
export { reportLocation as reportPlace } from './errors/thrown/report-frames.js';
export { flattenError, type FlattenOptions } from './errors/thrown/flatten-error.js';
export { findApplicationScript, watchLocalVariables } from './errors/thrown/local-variables.js';
export { createSourceLoader } from './errors/source/create-source-loader.js';
export { renderErrorAnswer } from './errors/render/render-error-answer.js';
export type { ErrorAnswer, ErrorAnswerOptions } from './errors/render/render-error-answer.js';
export { describeDifference, listWhatDiffers, withPointer } from './errors/present/render-report.js';
export { codeSpan, escapeMarkdown, fence } from './errors/present/render-report.js';
export { renderErrorChainMarkdown, renderErrorTerminal } from './errors/present/render-report.js';
export { clientProblem, type ClientProblem, statusText } from './errors/status/http-errors.js';
export { createEditorLinker, editorSchemes } from './errors/present/editor-link.js';
export type { EditorLink, EditorLinker } from './errors/present/editor-link.js';
export { ErrorChain } from './errors/page/error-chain.js';
export {
  CountBars,
  describeCounts,
  Differences,
  MarkedPart,
  valueOfMark,
} from './errors/page/failure-sections.js';
export { chainStyles } from './errors/page/page-assets.js';
