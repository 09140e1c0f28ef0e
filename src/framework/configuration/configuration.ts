/** The environments; any other name is treated as production. */
export type Environment = 'dev' | 'test' | 'prod';

/** The configuration of the service. Fixed at the start: no request can change it. */
export interface Configuration {
  readonly env: Environment;
  /** Turns on detailed error pages, the pages of the profiler, and `X-Robots-Tag`. */
  readonly debug: boolean;
  readonly host: string;
  /** Port; 0 lets the system choose a free one. */
  readonly port: number;
  /**
   * Paths of the PEM files; undefined for plain HTTP. `clientCa` verifies the certificates of clients, which are
   * optional.
   */
  readonly tls:
    | { readonly cert: string; readonly key: string; readonly clientCa?: string | undefined }
    | undefined;
  /** Addresses and CIDR blocks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Allowed host names of requests. If empty: the loopback names in debug, otherwise any. */
  readonly trustedHosts: readonly string[];
  /** Addresses and CIDR blocks of clients that see debug output, in addition to loopback. */
  readonly debugPeers: readonly string[];
  /**
   * Origins, in addition to the application's own, whose pages see debug headers and error details, in debug only: for a
   * development server, `http://localhost:5173`. They cannot access the pages of the profiler.
   */
  readonly debugOrigins: readonly string[];
  /**
   * Format of the line that is written to standard output for each request. `dev` includes the URL of the record and the
   * error.
   */
  readonly accessLog: 'off' | 'text' | 'json' | 'dev';
  /** Store of the records: `sqlite:PATH`, `postgres://…`, `redis://…`, `memory:` or `off`. */
  readonly profilerStore: string;
  /** Share of the requests that are recorded, and the secret for signed requests; see `SampleOptions`. */
  readonly sample: { readonly rate: number; readonly secret?: string };
  readonly retention: {
    /** Maximum number of records. */
    readonly count: number;
    /** Maximum age of a record in seconds. */
    readonly age: number;
    /** Maximum size of the store in bytes. */
    readonly bytes: number;
  };
  /** Editor name or URL template with `%f` and `%l` for links to source lines. */
  readonly editor: string | undefined;
}
