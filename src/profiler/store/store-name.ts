const serverAddress = /^(?:postgres(?:ql)?|rediss?|valkeys?):\/\/[^/]/;

/** Whether an address names a store on a server. */
export function isServerAddress(address: string): boolean {
  return serverAddress.test(address) && URL.canParse(address);
}

/** Whether an address is of a form that `createStore` takes. */
export function isStoreAddress(address: string): boolean {
  return address === 'memory:' || /^sqlite:.+$/.test(address) || isServerAddress(address);
}

/** An address as it may be shown: without password and parameters. */
export function storeNameOf(address: string): string {
  const [, scheme, user = '', place = ''] = /^(\w+:\/\/)(?:([^/@:]*)(?::.*)?@)?([^?#]*)/.exec(address) ?? [];
  return scheme === undefined ? address : `${scheme}${user === '' ? '' : `${user}@`}${place}`;
}
