import { BlockList, isIP } from 'node:net';
import { securityErrors } from '../errors/error-codes.js';

/**
 * Makes the test whether an address is one of these or in one of these ranges. Addresses are compared as numbers:
 * `::ffff:127.0.0.1` is `127.0.0.1`, and zeros or capitals make no difference. An unknown address is none of them.
 */
export function createAddressTest(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return (address) => {
    if (address === undefined) return false;
    const plain = unmapAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:1.2.3.4`); others as they are, without a zone. */
export function unmapAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  return /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(bare)?.[1] ?? bare;
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
    throw securityErrors.create('SECURITY_BAD_OPTION', {
      option: 'ips',
      what: 'an access rule',
      problem: `"${range}", which is no address or range`,
    });
  }
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(bits), type);
}
