/** Errors that set the response status, reports of thrown values, and renderers of reports: HTML, JSON, Markdown, text. */
export { HttpError, isHttpError, withoutStack } from './errors/status/http-error.js';
export type { ErrorHeaders, HttpErrorOptions, Violation } from './errors/status/http-error.js';
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
export { statusText } from './errors/status/status-text.js';
export type {
  ErrorReport,
  Excerpt,
  FrameKind,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from './errors/report/error-report.js';
export type { ErrorPageContext, PageLogEntry, PageRouteTrace } from './errors/report/error-page-context.js';
export type { LoadedSource, SourceLoader, SourcePosition } from './errors/source/create-source-loader.js';
export { ownSourceFolders } from './errors/source/describe-place.js';
export { pathOfFile } from './errors/source/path-of-file.js';
export { captureCallSites } from './errors/source/capture-call-sites.js';
export { describeThrown, isError } from './errors/thrown/read-thrown.js';
export { reportPlace } from './errors/thrown/report-frames.js';
export { flattenError } from './errors/thrown/flatten-error.js';
export type { FlattenOptions } from './errors/thrown/flatten-error.js';
export { createSourceLoader } from './errors/source/create-source-loader.js';
export { renderErrorAnswer } from './errors/render/render-error-answer.js';
export type { ErrorAnswer, ErrorAnswerOptions } from './errors/render/render-error-answer.js';
export { codeSpan, escapeMarkdown, fence } from './errors/present/markdown-text.js';
export { renderErrorChainMarkdown } from './errors/present/render-error-markdown.js';
export { renderErrorTerminal } from './errors/render/render-error-terminal.js';
export { clientProblem, type ClientProblem } from './errors/status/client-problem.js';
export { createEditorLinker, editorSchemes } from './errors/present/editor-link.js';
export type { EditorLink, EditorLinker } from './errors/present/editor-link.js';
export { ErrorChain } from './errors/page/error-chain.js';
export { chainStyles } from './errors/page/chain-styles.js';
