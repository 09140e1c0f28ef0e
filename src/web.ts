/** What most sites need around their routes: each part is an extension, independent of the others. */
export { cors } from './web/cors/cors.js';
export type { CorsOptions } from './web/cors/cors-options.js';
export { staticFiles } from './web/files/static-files.js';
export type { StaticFilesOptions } from './web/files/static-files.js';
export { download } from './web/files/download.js';
export type { DownloadOptions } from './web/files/download.js';
export { contentDisposition } from './web/files/content-disposition.js';
export { compression } from './web/compression/compression.js';
export type { CompressionOptions } from './web/compression/compression.js';
export { etag } from './web/validators/etag.js';
export type { EtagOptions } from './web/validators/etag.js';
export { limitRate, rateLimit } from './web/limits/rate-limit.js';
export type { AppRateLimitOptions } from './web/limits/rate-limit.js';
export type { RateLimitOptions } from './web/limits/rate-policy.js';
export { securityHeaders } from './web/protection/security-headers.js';
export type { SecurityHeadersOptions } from './web/protection/security-headers.js';
export { cspNonce } from './web/protection/content-security-policy.js';
export type { ContentSecurityPolicy } from './web/protection/content-security-policy.js';
export { health } from './web/health/health.js';
export type { HealthExtension, HealthOptions } from './web/health/health.js';
export type { CheckOutcome, HealthCheck } from './web/health/run-checks.js';
export { eventStream } from './web/events/event-stream.js';
export type { EventSourceContext, EventStreamOptions } from './web/events/event-stream.js';
export type { ServerEvent } from './web/events/render-event.js';
export { receiveUploads } from './web/uploads/receive-uploads.js';
export type {
  ReceivedFile,
  ReceivedUploads,
  IncomingFile,
  UploadOptions,
} from './web/uploads/receive-uploads.js';
export { webSocket } from './web/sockets/web-socket.js';
export type { WebSocketOptions } from './web/sockets/web-socket.js';
export type { SocketMessage, WebSocketConnection } from './web/sockets/socket-connection.js';
export { socketRecords } from './web/sockets/socket-transcript.js';
export type { SocketTranscript } from './web/sockets/socket-transcript.js';
export { fromNodeHandler } from './web/mount/from-node-handler.js';
export type { NodeRequestHandler } from './web/mount/from-node-handler.js';
export type { WebExtension } from './web/web-extension.js';
