/** Middleware for websites: compression, CORS, static files, uploads, event streams, WebSockets. */
export * from './framework/web.js';
