/** Features that most sites need around their routes. Each is an extension, independent of the others. */
export { cors, type CorsOptions } from './web/cors/cors.js';
export { staticFiles, type StaticFilesOptions } from './web/files/static-files.js';
export { download, type DownloadOptions } from './web/files/download.js';
export { contentDisposition } from './web/files/content-disposition.js';
export { compression, type CompressionOptions } from './web/compression/compression.js';
export { etag, type EtagOptions } from './web/validators/etag.js';
export { limitRate, rateLimit, type AppRateLimitOptions } from './web/limits/rate-limit.js';
export type { RateLimitOptions } from './web/limits/rate-policy.js';
export { securityHeaders, type SecurityHeadersOptions } from './web/protection/security-headers.js';
export { cspNonce, type ContentSecurityPolicy } from './web/protection/content-security-policy.js';
export { health, type HealthExtension, type HealthOptions } from './web/health/health.js';
export type { CheckOutcome, HealthCheck } from './web/health/run-checks.js';
export { eventStream, type EventSourceContext, type EventStreamOptions } from './web/events/event-stream.js';
export type { ServerEvent } from './web/events/render-event.js';
export {
  receiveUploads,
  type ReceivedFile,
  type ReceivedUploads,
  type IncomingFile,
  type UploadOptions,
} from './web/uploads/receive-uploads.js';
export { webSocket, type WebSocketOptions } from './web/sockets/web-socket.js';
export type { SocketMessage, WebSocketConnection } from './web/sockets/socket-connection.js';
export { socketRecords, type SocketTranscript } from './web/sockets/socket-transcript.js';
export { fromNodeHandler, type NodeRequestHandler } from './web/mount/from-node-handler.js';
export type { WebExtension } from './web/web-extension.js';
