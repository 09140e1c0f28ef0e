import { type HttpRequest, parseIpNetwork } from '#core/http';
import type { RequestConditions } from '../requests/request-conditions.js';
import { securityErrors } from '../secrets/error-codes.js';
import type { FirewallOptions } from '../state/firewall.js';
import { describeConditions, type AccessRule, type CompiledAccessRule } from './access-rules.js';

/**
 * Throws for an access rule or firewall that can never apply, because the first match decides: an earlier one matches
 * all of its requests, or no firewall checks rules there. Finds what follows from the literal conditions; regular
 * expressions and functions are compared only as far as the result is certain.
 */
export function refuseDeadRules(firewalls: readonly FirewallOptions[], rules: readonly AccessRule[]): void {
  for (const [at, firewall] of firewalls.entries()) {
    const by = firewalls.slice(0, at).find((earlier) => covers(earlier, firewall));
    if (by !== undefined)
      throw deadError(
        `The firewall "${firewall.name}"`,
        `the firewall "${by.name}" before it takes all of its requests`,
      );
  }
  for (const [at, rule] of rules.entries()) {
    const name = `The access rule ${at + 1}${describeConditions(rule)}`;
    const by = coveringRules(rules.slice(0, at), rule);
    if (by !== undefined) throw deadError(name, `${by}, which comes first, decides all of its requests`);
    const reason = firewallReason(firewalls, rule);
    if (reason !== undefined) throw deadError(name, reason);
  }
}

/** An access rule that matches some requests but never decides, because an earlier rule does. */
export interface DeadRule {
  /** Its position in the list and its conditions: `2 (path /admin)`. */
  readonly rule: string;
  /** The rule that decides before it. */
  readonly by: string;
  /** A request for which this is the case. */
  readonly request: HttpRequest;
}

/** Finds rules that match some requests' path, method and route but decide none of these requests. */
export function findDeadRules(
  rules: readonly CompiledAccessRule[],
  requests: readonly HttpRequest[],
): readonly DeadRule[] {
  return rules.flatMap((rule, at) => {
    const earlier = rules.slice(0, at).filter(({ isPlain }) => isPlain);
    const fitting = requests.filter((request) => rule.fitsRoute(request));
    const deciding = fitting.map((request) => earlier.find(({ fitsRoute }) => fitsRoute(request)));
    const [by] = deciding;
    const [request] = fitting;
    if (by === undefined || request === undefined || deciding.includes(undefined)) return [];
    return [{ rule: rule.name, by: by.name, request }];
  });
}

function deadError(what: string, reason: string): Error {
  return securityErrors.create('SECURITY_NEVER_APPLIES', { what, reason });
}

/**
 * Returns the names of the rules that together decide all of a rule's requests, each for at least one of its paths and
 * methods.
 */
function coveringRules(earlier: readonly AccessRule[], rule: AccessRule): string | undefined {
  const found = new Set<string>();
  const methods = rule.methods === undefined ? [undefined] : withHead(rule.methods);
  const parts = pathsOf(rule).flatMap((path) => methods.map((method) => [path, method] as const));
  for (const [path, method] of parts) {
    const alone = {
      ...rule,
      ...(path === undefined ? {} : { path }),
      ...(method === undefined ? {} : { methods: [method] }),
    };
    const names = earlier.map((one, at) =>
      covers(one, alone) ? `${at + 1}${describeConditions(one)}` : undefined,
    );
    const name = names.find((one) => one !== undefined);
    if (name === undefined) return undefined;
    found.add(name);
  }
  return `the rule ${[...found].join(' and ')}`;
}

/** Returns why no firewall checks a rule; undefined if one may. */
function firewallReason(firewalls: readonly FirewallOptions[], rule: AccessRule): string | undefined {
  for (const firewall of firewalls) {
    if (areDisjoint(firewall, rule)) continue;
    if (firewall.security !== false) return undefined;
    if (covers(firewall, rule))
      return `the firewall "${firewall.name}" takes all of its requests, and has security: false`;
  }
  const isOutside = firewalls.every((firewall) => areDisjoint(firewall, rule));
  return isOutside ? 'no firewall covers its path, and rules are checked only in firewalls' : undefined;
}

/** Whether `general`'s conditions certainly hold for every request that meets `special`'s. */
function covers(general: RequestConditions, special: RequestConditions): boolean {
  return (
    pathsOf(special).every((path) => pathsOf(general).some((one) => coversPath(one, path))) &&
    coversHost(general.host, special.host) &&
    coversList(general.methods && withHead(general.methods), special.methods && withHead(special.methods)) &&
    coversList(general.route, special.route) &&
    coversNetworks(general.ips, special.ips) &&
    (general.when === undefined || general.when === special.when)
  );
}

type Path = string | RegExp | undefined;

/** Returns the paths; an expression with alternatives counts as several. */
function pathsOf({ path }: RequestConditions): readonly Path[] {
  const paths: readonly Path[] = [path].flat();
  return paths.flatMap((one): readonly Path[] => (typeof one === 'object' ? alternativesOf(one) : [one]));
}

const maxAlternatives = 100;
const choice = /^(\^(?:[\w/~%@,=-]|\\[/.-])*)\((?:\?:)?((?:[\w~%@,=|-]|\\[/.-])*)\)(?![?*+{])(.*)$/s;

/** Splits `/^\/(?:en|fr)\/admin/` into `/^\/en\/admin/` and `/^\/fr\/admin/`, and `/^\/a|^\/b/` into its two parts. */
function alternativesOf(expression: RegExp): readonly RegExp[] {
  const { source, flags } = expression;
  const [whole, head = '', choices = '', tail = ''] = choice.exec(source) ?? [];
  const sources =
    whole !== undefined
      ? choices.split('|').map((one) => head + one + tail)
      : /[()[\]\\]\||[()[\]]/.test(source)
        ? [source]
        : source.split('|');
  if (sources.length > maxAlternatives) return [expression];
  if (whole === undefined) return sources.map((one) => new RegExp(one, flags));
  const found = sources.flatMap((one) => alternativesOf(new RegExp(one, flags)));
  return found.length > maxAlternatives ? [expression] : found;
}

function coversPath(general: Path, special: Path): boolean {
  const prefix = prefixOf(general);
  if (prefix?.text === '') return true;
  if (special === undefined) return false;
  if (typeof general === 'object' && String(general) === String(special)) return true;
  const from = startOf(special);
  if (prefix === undefined || from === undefined) return false;
  const isStart = prefix.ignoresCase
    ? from.text.toLowerCase().startsWith(prefix.text.toLowerCase())
    : from.text.startsWith(prefix.text);
  if (!isStart) return false;
  const rest = from.text.slice(prefix.text.length);
  if (!prefix.isWhole) return true; // any text may follow
  // A slash or the end must follow.
  return rest === '' ? from.isWhole : rest.startsWith('/');
}

/** A path prefix; with `isWhole`, a slash or the end follows it. */
interface Prefix {
  readonly text: string;
  readonly isWhole: boolean;
  readonly ignoresCase?: boolean;
}

/** Expressions that every path matches, with any flags. */
const everyPath: ReadonlySet<string> = new Set([
  '',
  '^',
  ...['.*', '.+', '.'].flatMap((any) => [any, `^${any}`]),
  ...['.*', '.+'].flatMap((any) => [`${any}$`, `^${any}$`]),
  '\\/',
  '^\\/',
  '^\\/.*',
  '^\\/.*$',
  '(?:)',
]);

/** Returns the prefix that a pattern is equivalent to; undefined if there is none. */
function prefixOf(path: Path): Prefix | undefined {
  if (path === undefined) return { text: '', isWhole: false };
  if (typeof path === 'string') return { text: withoutLastSlashes(path), isWhole: true };
  if (everyPath.has(path.source)) return { text: '', isWhole: false };
  const { text, rest } = splitStart(path) ?? {};
  if (text === undefined) return undefined;
  const ignoresCase = path.flags.includes('i');
  if (rest === '') return { text, isWhole: false, ignoresCase };
  return slashOrEnd.has(rest ?? '') ? { text, isWhole: true, ignoresCase } : undefined;
}

function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Returns the prefix that all of a pattern's paths share; undefined if it is unknown. */
function startOf(path: string | RegExp): Prefix | undefined {
  if (typeof path === 'string') return prefixOf(path);
  if (path.flags.includes('i')) return undefined; // no single text is its start
  const { text, rest } = splitStart(path) ?? {};
  if (text === undefined || rest === undefined) return undefined;
  if (slashOrEnd.has(rest) || rest === '$') return { text, isWhole: true };
  if (rest.includes('|')) return undefined;
  return { text: /^[?*{]/.test(rest) ? text.slice(0, -1) : text, isWhole: false };
}

const slashOrEnd: ReadonlySet<string> = new Set(
  ['\\/|$', '$|\\/'].flatMap((either) => [`(${either})`, `(?:${either})`]),
);
const literalStart = /^\^((?:[\w/~%@,=-]|\\[/.-])*)/;

/** Splits an expression into its leading literal text and the rest. */
function splitStart({ source, flags }: RegExp): { readonly text: string; readonly rest: string } | undefined {
  const found = literalStart.exec(source);
  if (found === null || flags.includes('m')) return undefined;
  return { text: (found[1] ?? '').replaceAll('\\', ''), rest: source.slice(found[0].length) };
}

function coversHost(general: RequestConditions['host'], special: RequestConditions['host']): boolean {
  if (general === undefined) return true;
  if (typeof general === 'object') {
    if (everyPath.has(general.source) && !general.source.includes('/')) return true;
    if (typeof special === 'string')
      return new RegExp(general.source, general.flags.replace(/[gy]/g, '')).test(special.toLowerCase());
    return special !== undefined && String(general) === String(special);
  }
  return typeof special === 'string' && general.toLowerCase() === special.toLowerCase();
}

function coversList(
  general: string | readonly string[] | undefined,
  special: string | readonly string[] | undefined,
): boolean {
  if (general === undefined) return true;
  return special !== undefined && [special].flat().every((one) => [general].flat().includes(one));
}

function coversNetworks(
  general: readonly string[] | undefined,
  special: readonly string[] | undefined,
): boolean {
  if (general === undefined) return true;
  const around = general.flatMap((one) => parseIpNetwork(one) ?? []);
  const isInside = (inner: string): boolean => {
    const network = parseIpNetwork(inner);
    if (network === undefined) return false;
    return around.some(({ base, free }) => free >= network.free && (network.base ^ base) >> free === 0n);
  };
  return special !== undefined && special.every(isInside);
}

function withHead(methods: readonly string[]): readonly string[] {
  const upper = methods.map((method) => method.toUpperCase());
  return upper.includes('GET') ? [...upper, 'HEAD'] : upper;
}

/** Whether two conditions' paths are certainly disjoint. */
function areDisjoint(left: RequestConditions, right: RequestConditions): boolean {
  return pathsOf(left).every((one) => pathsOf(right).every((other) => areApart(one, other)));
}

function areApart(one: Path, other: Path): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  return !coversPath(one, other) && !coversPath(other, one);
}
