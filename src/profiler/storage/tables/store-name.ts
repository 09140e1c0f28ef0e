import { resolve } from 'node:path';

/** Without a host, a PostgreSQL address names a socket: `postgres:///app?host=/run/postgresql`. */
const serverAddress = /^postgres(?:ql)?:\/\//;

export function isServerAddress(address: string): boolean {
  return serverAddress.test(address) && URL.canParse(address);
}

/** Returns whether `openStore` accepts an address in this form. */
export function isStoreAddress(address: string): boolean {
  return address === 'memory:' || /^sqlite:.+$/.test(address) || isServerAddress(address);
}

/** Returns the path in the address of a SQLite file; undefined for any other address. */
export function filePathOf(address: string): string | undefined {
  if (!address.startsWith('sqlite:')) return undefined;
  const path = address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  return path === '' || path.startsWith('//') ? undefined : resolve(path);
}

/** Returns an address without password and parameters, for display. */
export function storeNameOf(address: string): string {
  const [, scheme, user = '', place = ''] = /^(\w+:\/\/)(?:([^/@:]*)(?::.*)?@)?([^?#]*)/.exec(address) ?? [];
  return scheme === undefined ? address : `${scheme}${user === '' ? '' : `${user}@`}${place}`;
}
