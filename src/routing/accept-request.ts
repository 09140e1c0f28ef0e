import type { CompiledRoute } from './compile-route.js';

/** `host` in lower case, without port. */
export function acceptsHost(owner: CompiledRoute, host: string): boolean {
  if (owner.host === undefined) return true;
  return typeof owner.host === 'string' ? owner.host === host : owner.host.test(host);
}

/** `scheme` in lower case. */
export function acceptsScheme(owner: CompiledRoute, scheme: string): boolean {
  return owner.schemes.length === 0 || owner.schemes.includes(scheme);
}

/** `method` in upper case. HEAD is answered by whatever answers GET. */
export function acceptsMethod({ methods }: CompiledRoute, method: string): boolean {
  if (methods.length === 0 || methods.includes(method)) return true;
  return method === 'HEAD' && methods.includes('GET');
}
