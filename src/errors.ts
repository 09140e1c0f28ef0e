/**
 * Errors that decide the status of the answer, thrown values as report data, and reports as page, document and text.
 */
export { HttpError, isHttpError } from './errors/http-error.js';
export type { ErrorHeaders, HttpErrorOptions, Violation } from './errors/http-error.js';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  GoneError,
  HeaderFieldsTooLargeError,
  InternalServerError,
  NotAcceptableError,
  NotFoundError,
  NotImplementedError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  UriTooLongError,
} from './errors/client-errors.js';
export {
  MethodNotAllowedError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from './errors/header-errors.js';
export { withoutStack } from './errors/without-stack.js';
export { statusText } from './errors/status-text.js';
export type {
  ErrorReport,
  Excerpt,
  FrameKind,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from './errors/error-report.js';
export type { ErrorPageContext, PageLogEntry, PageRouteTrace } from './errors/error-page-context.js';
export type { LoadedSource, SourceLoader, SourcePosition } from './errors/source-loader.js';
export { ownSourceFolders } from './errors/describe-place.js';
export { describeThrown } from './errors/describe-thrown.js';
export { flattenError } from './errors/flatten-error.js';
export type { FlattenOptions } from './errors/flatten-error.js';
export { createSourceLoader } from './errors/create-source-loader.js';
export type { SourceLoaderOptions } from './errors/create-source-loader.js';
export { renderErrorAnswer } from './errors/render-error-answer.js';
export type { ErrorAnswer, ErrorAnswerOptions } from './errors/render-error-answer.js';
export { errorPagePolicy, renderErrorPage } from './errors/page/error-page.js';
export { renderErrorJson } from './errors/render-error-json.js';
export { renderErrorChainMarkdown, renderErrorMarkdown } from './errors/render-error-markdown.js';
export { renderErrorTerminal } from './errors/render-error-terminal.js';
export { renderErrorText } from './errors/render-error-text.js';
export { clientProblem, type ClientProblem } from './errors/client-problem.js';
export { renderPlainError } from './errors/render-plain-error.js';
export { createEditorLinker } from './errors/editor-link.js';
export type { EditorLink, EditorLinker } from './errors/editor-link.js';
export { ErrorChain } from './errors/page/error-chain.js';
export { chainStyles } from './errors/page/chain-styles.js';
export { debugHeaders } from './errors/debug-headers.js';
