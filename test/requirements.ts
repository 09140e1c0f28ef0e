/** The source of a requirement: the specification, or our own decision where it is silent. */
export type RequirementSource = 'specification' | 'decision';

/** One row of the contract: what the service promises to its clients. */
export interface Requirement {
  readonly id: string;
  readonly source: RequirementSource;
  readonly promise: string;
}

const S = 'specification';
const D = 'decision';

/** The contract as data. Tests name the ids in their titles; a guard test fails if no title names an id. */
export const requirements: readonly Requirement[] = [
  { id: 'R1', source: S, promise: 'The path of every request is matched against a table of named routes.' },
  { id: 'R2', source: S, promise: 'Where path and method match a route, its controller answers.' },
  {
    id: 'R3',
    source: S,
    promise:
      'No route: a not-found error caused by a resource-not-found error, with their two messages and the Referer suffix.',
  },
  {
    id: 'R4',
    source: D,
    promise:
      'The absolute URL has no query and no default port and keeps its encoding; the inner path is decoded and ends in one slash; no full stops.',
  },
  {
    id: 'R5',
    source: S,
    promise:
      'Only other methods match: a method-not-allowed error that names them, and an Allow header with the same ones.',
  },
  {
    id: 'R6',
    source: D,
    promise:
      '404, 405, 400; methods separated by ", "; no Referer on 405; HEAD by GET; OPTIONS 405 where no route declares it, * 204.',
  },
  {
    id: 'R7',
    source: S,
    promise: 'A request that cannot be parsed: a bad-request error with the message of the underlying error.',
  },
  {
    id: 'R8',
    source: D,
    promise:
      'Bytes the parser refuses, bad Host, bad encoding, bad override, bad bodies, too large, too slow: each answered, recorded, survived.',
  },
  { id: 'R9', source: S, promise: 'GET /robots.txt has no route and gives the not-found error.' },
  {
    id: 'R10',
    source: D,
    promise:
      'Definition order and priority decide; an exact match beats a slash redirect; 301 for GET and HEAD with the query kept.',
  },
  {
    id: 'K1',
    source: S,
    promise: 'Stages in order: request, controller, controller arguments, response, finish request.',
  },
  {
    id: 'K2',
    source: D,
    promise: 'Also view, exception and terminate; listeners have priorities; their order is in the record.',
  },
  { id: 'K3', source: S, promise: 'A locale is set for every request, and a locale-rewrite step runs.' },
  {
    id: 'K4',
    source: D,
    promise:
      'Route, stored choice, Accept-Language, default; Content-Language and Vary; 302 to the prefixed path with its query for GET and HEAD, never from /robots.txt and its like to a variable.',
  },
  { id: 'K5', source: S, promise: 'Persistence hooks run before and after routing on every request.' },
  { id: 'K6', source: D, promise: 'Before: the address; after: the locale and the user.' },
  { id: 'K7', source: S, promise: 'A firewall is evaluated on each request, the profiler route included.' },
  { id: 'K8', source: D, promise: 'A miss becomes final after every request listener had its turn.' },
  {
    id: 'K9',
    source: S,
    promise: 'Controller arguments are checked for access restrictions declared on controllers.',
  },
  {
    id: 'K10',
    source: S,
    promise:
      'Every response disallows robots: X-Robots-Tag: noindex in debug, unless the application set it.',
  },
  { id: 'K11', source: S, promise: 'A remember-me step runs on every response.' },
  {
    id: 'P1',
    source: S,
    promise: 'A record for every handled request, misses and the profiler itself included.',
  },
  {
    id: 'P2',
    source: D,
    promise: "One record a request; the profiler's own in an origin of their own, hidden by default.",
  },
  {
    id: 'P3',
    source: S,
    promise: 'A record holds the request, its log, the exception chain and the stack traces.',
  },
  {
    id: 'P4',
    source: S,
    promise: 'A token is a short lowercase hexadecimal path segment of the profiler route, six characters.',
  },
  {
    id: 'P5',
    source: D,
    promise: 'Unique tokens; X-Debug-Token and X-Debug-Token-Link on every response; readable at once.',
  },
  {
    id: 'P6',
    source: S,
    promise: 'GET /_profiler/{token}, route _profiler, ?panel=; panel=exception shows the exception.',
  },
  {
    id: 'P7',
    source: D,
    promise:
      'Unknown, purged or malformed token: 404 that says which; unknown panel 404 naming the panels; latest; 405 with Allow: GET.',
  },
  { id: 'P8', source: D, promise: 'The same record as .json and .md.' },
  { id: 'P9', source: D, promise: 'The record shows what the client got: final headers and cookies.' },
  {
    id: 'E1',
    source: S,
    promise:
      'In debug: a page with the outer message, the chain with excerpts inner first, the log and a numbered stack trace.',
  },
  {
    id: 'E2',
    source: D,
    promise:
      'JSON, text and Markdown by Accept; X-Debug-Exception headers in debug only; outside debug status and title only.',
  },
  {
    id: 'E3',
    source: D,
    promise: 'Nothing an attacker sends becomes markup, and a strict policy stands over it.',
  },
  {
    id: 'C1',
    source: S,
    promise: 'Served over HTTP(S) at a base URL in a development configuration with debug on.',
  },
  {
    id: 'C2',
    source: D,
    promise: 'Defaults, variables, production for unknown environments, one clear line for a bad value.',
  },
];
