import { flag, listOf, type OptionsSchema, optionsSchema, type OptionType, textWith } from '#core/options';
import { isOrigin, parseIpNetwork } from '#core/http';

/** Clients that may open debug pages, in addition to browsers on this machine. */
export interface AccessOptions {
  /** Allowed Host values in addition to localhost, *.localhost and loopback addresses: `app.test`, `*.app.test`. */
  readonly hosts?: readonly string[];
  /** Addresses and networks with access in addition to loopback: `10.0.0.7`, `192.168.0.0/16`. */
  readonly peers?: readonly string[];
  /**
   * Origins with access in addition to the request's own: `http://localhost:5173`. All other checks still apply.
   * Default: none.
   */
  readonly origins?: readonly string[];
  /**
   * Whether to accept requests without a valid Host. They get a 400 anyway, and a developer who sent one by hand may
   * see why. This is safe: DNS rebinding needs a browser, and no browser sends such a Host. Default: no.
   */
  readonly hostless?: boolean;
}

const networkNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'private']);
const network = textWith(
  'an address or a network, such as "10.0.0.7", "192.168.0.0/16" or "loopback"',
  (value) => networkNames.has(value) || parseIpNetwork(value) !== undefined,
);

/** Client or proxy addresses and networks. */
export const networks: OptionType<readonly string[]> = listOf(network);

const hostForm = /^(?:\*|(?:\*\.)?[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:.]+\])$/i;

/** Host names, without ports. */
export const hostNames: OptionType<readonly string[]> = listOf(
  textWith('a host name without a port, such as "app.test" or "*.app.test"', (value) => hostForm.test(value)),
);

/** Origins of pages. */
export const origins: OptionType<readonly string[]> = listOf(
  textWith('an origin, such as "http://localhost:5173"', isOrigin),
);

/** The clients that may open debug pages. */
export const accessSchema: OptionsSchema<AccessOptions> = optionsSchema<AccessOptions>({
  hosts: hostNames,
  peers: networks,
  origins,
  hostless: flag,
});
