import { hidePathValues, type Redactor } from '#dump';
import type { HttpRequest } from '#http';

const maxTargetLength = 16_384;

export interface RequestFacts {
  readonly method: string;
  readonly address: string;
  readonly origin: string;
}

/** The facts of a request. Reading an invalid one may throw: then each fact is what can be had. */
export function readFacts(request: HttpRequest): RequestFacts {
  try {
    return { method: request.method, address: request.clientAddress ?? '', origin: request.origin };
  } catch {
    const { method, peer } = request.source;
    return {
      method: tryToRead(() => request.method) ?? method,
      address: tryToRead(() => request.clientAddress) ?? peer.address ?? '',
      origin: tryToRead(() => request.origin) ?? '',
    };
  }
}

/** A target without secrets, those of its path among them, cut where it is very long. */
export function targetOf(
  raw: string,
  pathSecrets: readonly string[] | undefined,
  redactor: Redactor,
): string {
  const clean = redactor.url(raw.length > maxTargetLength ? `${raw.slice(0, maxTargetLength)}… [cut]` : raw);
  return pathSecrets === undefined ? clean : hidePathValues(clean, pathSecrets);
}

function tryToRead(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
