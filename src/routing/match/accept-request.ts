import type { RouteTerms } from '../compile/route-leaf.js';

/** Hosts are compared without case; `localhost` where none is known. */
export function acceptsHost({ host }: RouteTerms, asked = 'localhost'): boolean {
  if (host === undefined) return true;
  return typeof host === 'string' ? host === asked.toLowerCase() : host.test(asked);
}

/** `http` where no scheme is known. */
export function acceptsScheme({ schemes }: RouteTerms, scheme = 'http'): boolean {
  return schemes.length === 0 || schemes.includes(scheme.toLowerCase());
}

/** HEAD is answered by whatever answers GET. */
export function acceptsMethod(methods: readonly string[], method: string): boolean {
  if (methods.length === 0) return true;
  for (const one of methods) if (one === method || (one === 'GET' && method === 'HEAD')) return true;
  return false;
}
