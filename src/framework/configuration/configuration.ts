/** The environments there are; any other name counts as production. */
export type Environment = 'dev' | 'test' | 'prod';

/** How the service runs. Fixed at start: no request can change it. */
export interface Configuration {
  readonly env: Environment;
  /** Detailed error pages, the profiler and `X-Robots-Tag`. */
  readonly debug: boolean;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Paths of the PEM files; absent for plain HTTP. With `clientCa`, clients may show a certificate that it verifies. */
  readonly tls:
    | { readonly cert: string; readonly key: string; readonly clientCa?: string | undefined }
    | undefined;
  /** Addresses and CIDR blocks whose forwarding headers count. */
  readonly trustedProxies: readonly string[];
  /** Host names that requests may use; empty for the loopback names in debug, any otherwise. */
  readonly trustedHosts: readonly string[];
  /** Addresses and CIDR blocks, in addition to loopback, that see debug output. */
  readonly debugPeers: readonly string[];
  /**
   * Origins, in addition to the application's own, whose pages see debug headers and error details, in debug only: that
   * of a development server, `http://localhost:5173`. The profiler's pages stay closed to them.
   */
  readonly debugOrigins: readonly string[];
  /** A line on standard output for each request: as text, as JSON, or, for development, with its record and error. */
  readonly accessLog: 'off' | 'text' | 'json' | 'dev';
  /** Where records are kept: `sqlite:PATH`, `memory:` or `off`. */
  readonly profilerStore: string;
  /** Share of the requests that are recorded, and the secret of signed requests; see `SampleOptions`. */
  readonly sample: { readonly rate: number; readonly secret?: string };
  readonly retention: {
    /** Records kept at most. */
    readonly count: number;
    /** Seconds that a record is kept at most. */
    readonly age: number;
    /** Maximum size of the store in bytes. */
    readonly bytes: number;
  };
  /** Editor name or URL template with `%f` and `%l` for links to source lines. */
  readonly editor: string | undefined;
}
