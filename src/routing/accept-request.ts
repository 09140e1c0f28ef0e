import type { CompiledRoute } from './compile-route.js';

/** Hosts are compared without case; `localhost` where none is known. */
export function acceptsHost(owner: CompiledRoute, host = 'localhost'): boolean {
  if (owner.host === undefined) return true;
  return typeof owner.host === 'string' ? owner.host === host.toLowerCase() : owner.host.test(host);
}

/** `http` where no scheme is known. */
export function acceptsScheme(owner: CompiledRoute, scheme = 'http'): boolean {
  return owner.schemes.length === 0 || owner.schemes.includes(scheme.toLowerCase());
}

/** HEAD is answered by whatever answers GET. */
export function acceptsMethod({ methods }: CompiledRoute, method: string): boolean {
  if (methods.length === 0) return true;
  for (const one of methods) if (one === method || (one === 'GET' && method === 'HEAD')) return true;
  return false;
}
