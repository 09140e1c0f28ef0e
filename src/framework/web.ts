/** Features that most sites need around their routes. Each is an extension, independent of the others. */
export { cors, type CorsOptions } from './web/cors.js';
export { staticFiles, type StaticFilesOptions } from './web/static-files.js';
export type { ImmutableFiles, ImmutableOptions } from './web/immutable-files.js';
export { download, type DownloadOptions } from './web/file-content.js';
export { compression, type CompressionOptions } from './web/compression.js';
export { etag, type EtagOptions } from './web/etag.js';
export { limitRate, rateLimit, type AppRateLimitOptions, type RateLimitOptions } from './web/rate-limit.js';
export { securityHeaders, cspNonce, type SecurityHeadersOptions } from './web/security-headers.js';
export type { ContentSecurityPolicy } from './web/security-headers.js';
export { health, type HealthExtension, type HealthOptions, type CheckOutcome } from './web/health.js';
export type { HealthCheck } from './web/health.js';
export { eventStream, type EventSourceContext, type EventStreamOptions } from './web/event-stream.js';
export type { ServerEvent } from './web/event-stream.js';
export { receiveUploads, type ReceivedFile, type ReceivedUploads } from './web/receive-uploads.js';
export type { IncomingFile, UploadOptions } from './web/receive-uploads.js';
export { webSocket, type WebSocketOptions, type SocketMessage } from './web/web-socket.js';
export type { WebSocketConnection } from './web/web-socket.js';
export type { WebExtension } from './web/web-extension.js';
