/**
 * One request type and one response type, lazy, with the web standard's own a getter away (`request.web`).
 * Knows no socket: bytes become messages behind `#http/node`.
 */
export { HttpRequest } from './http/http-request.js';
export type { HttpRequestOptions } from './http/http-request.js';
export type { Peer, RequestBodySource, RequestSource } from './http/request-source.js';
export { RequestHeaders } from './http/request-headers.js';
export { HttpResponse } from './http/http-response.js';
export type { HttpResponseInit, ResponseBody } from './http/http-response.js';
export { ResponseHeaders } from './http/response-headers.js';
export { parseCookies } from './http/parse-cookies.js';
export { renderCookie } from './http/render-cookie.js';
export type { CookieOptions } from './http/render-cookie.js';
export { requestLocale, requestRoute, requestUser } from './http/request-facts.js';
export type { RequestUser, RouteFacts } from './http/request-facts.js';
export type { TrustPolicy } from './http/trust-policy.js';
export type { SentResponse } from './http/sent-response.js';
