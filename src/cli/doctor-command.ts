import { type Command, createCommand } from '#core/command';
import { isProxyField } from '#core/http';
import { checkAllPackages } from '#core/patches';
import { type ProfileRecord, storeNameOf } from '#profiler';
import type { LoadedLibrary } from '#profiler/instrumentation';
import { describeUnknown, environmentOf, unknownVariables, whyNotRecorded } from '#profiler/setup';
import { type CliOutput, formatTime, renderJson, UsageError, wrapWords } from './command-line/terminal.js';
import { ownManifest } from './new-command.js';
import { isRunning, jsonOption, storeOption, withRecords } from './records/open-records.js';

/** A report line. */
export interface DoctorLine {
  readonly topic: string;
  readonly text: string;
  readonly isProblem: boolean;
  /** For the topic `loaded`: the processes (`host:pid`) and the libraries that they have loaded. */
  readonly processes?: readonly string[];
  readonly libraries?: readonly LoadedLibrary[];
}

const well = (topic: string, text: string): DoctorLine => ({ topic, text, isProblem: false });
const problem = (topic: string, text: string): DoctorLine => ({ topic, text, isProblem: true });

const lookedAt = 50;

/** `lookback doctor`: exits with 1 if there is a problem. */
export function doctorCommand(output: CliOutput): Command {
  return createCommand(
    'doctor',
    {
      description:
        'Reports what is recorded in this folder and where, who can see it, which libraries the program has loaded, which\n' +
        'versions are unsupported, and whether requests come through a proxy. Exit code 1 if something needs attention.',
      options: { ...storeOption, ...jsonOption },
    },
    async ({ options: { store, json } }) => {
      const findings = await diagnose(store);
      if (json === true) {
        for (const finding of findings) output.out(`${renderJson(finding)}\n`);
        return findings.some(({ isProblem }) => isProblem) ? 1 : 0;
      }
      const width = Math.max(...findings.map(({ topic }) => topic.length));
      for (const { topic, text, isProblem } of findings)
        output.out(wrapWords(`${isProblem ? '!' : '✓'} ${topic.padEnd(width)}  `, text, output.columns));
      return findings.some(({ isProblem }) => isProblem) ? 1 : 0;
    },
  );
}

/** Reports what is recorded, where, and any problems. */
export async function diagnose(store: string | undefined): Promise<readonly DoctorLine[]> {
  const stored = await describeStore(store);
  const loaded = stored.flatMap(({ libraries = [] }) => libraries);
  return [
    describeNode(),
    ...describeRecording(),
    ...stored,
    ...describePackages(),
    ...(await describeInstalled(loaded)),
  ];
}

function describeNode(): DoctorLine {
  const { version, engines } = ownManifest();
  const needed = engines.node.replace(/^\D+/, '');
  const found = process.versions.node;
  const text = `lookback ${version} on Node ${found}`;
  return found.localeCompare(needed, 'en', { numeric: true }) >= 0
    ? well('versions', text)
    : problem('versions', `${text}: it needs Node ${needed} or newer`);
}

function describeRecording(): readonly DoctorLine[] {
  const env = environmentOf(process.env);
  const why = whyNotRecorded(process.env);
  const seen =
    env === 'dev' ? 'browsers on this machine' : `browsers on this machine, if debug is on (${env})`;
  const peers = process.env['DEBUG_ALLOWED_PEERS'] ?? '';
  const off = why === '' ? 'turned off by LOOKBACK or PROFILER_STORE' : `${why}; LOOKBACK=on records anyway`;
  return [
    why === undefined
      ? well('recording', `on: every request to a program started in this shell (${env})`)
      : problem('recording', `off: ${off}`),
    well('readable by', peers === '' ? seen : `${seen}, and ${peers} (DEBUG_ALLOWED_PEERS)`),
    ...unknownVariables(process.env).map((one) => problem('variables', describeUnknown(one))),
  ];
}

async function describeStore(given: string | undefined): Promise<readonly DoctorLine[]> {
  let name = given ?? '';
  try {
    return await withRecords(given, async (archive, address): Promise<readonly DoctorLine[]> => {
      name = storeNameOf(address); // without a password
      const { rows } = await archive.list({ limit: lookedAt });
      const [newest] = rows;
      if (newest === undefined)
        return [problem('store', `${name}: no records yet. Send a request to the program.`)];
      const found = await Promise.all(rows.map(({ token }) => archive.find(token)));
      const records = found.flatMap((one) => (one.kind === 'found' ? [one.record] : []));
      return [
        well('store', `${name}, newest record ${formatTime(newest.startedAt)}`),
        describeProxies(records),
        ...(await describeLoaded(records)),
      ];
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : 'it cannot be read';
    return [problem('store', error instanceof UsageError ? text : `${name}: ${text}`)];
  }
}

/** Reports whether requests came through a proxy, behind which the profiler is closed. */
function describeProxies(records: readonly ProfileRecord[]): DoctorLine {
  const fields = records.flatMap(({ request }) => request.headers.map(([name]) => name).filter(isProxyField));
  const names = [...new Set(fields.map((name) => name.toLowerCase()))];
  if (names.length === 0) return well('proxy', `none seen in the last ${records.length} requests`);
  const trusted = process.env['TRUSTED_PROXIES'] ?? '';
  const advice =
    trusted === ''
      ? 'set TRUSTED_PROXIES to its address, so that the client’s address and host are known'
      : `TRUSTED_PROXIES is ${trusted}`;
  const text = `requests came through one (${names.join(', ')}), behind which the profiler is closed; ${advice}`;
  return trusted === '' ? problem('proxy', text) : well('proxy', text);
}

function describePackages(): readonly DoctorLine[] {
  const { installed, problems } = checkAllPackages();
  const fitting = installed.length === 0 ? 'no optional ones' : `${installed.join(', ')}: all fit`;
  if (problems.length === 0) return [well('packages', fitting)];
  return problems.map(({ message, fix = '' }) => problem('packages', `${message} ${fix}`));
}

/**
 * Reports the libraries loaded by the process that made the newest record and by other running processes, as of each one's newest record.
 */
async function describeLoaded(records: readonly ProfileRecord[]): Promise<readonly DoctorLine[]> {
  const newest = new Map<string, ProfileRecord>();
  for (const record of records) {
    const instance = String(record.config['instance'] ?? '');
    const isShown = newest.size === 0 || isRunning(instance) === true;
    if (isShown && !newest.has(instance)) newest.set(instance, record);
  }
  const groups = new Map<
    string,
    { readonly processes: string[]; readonly libraries: readonly LoadedLibrary[] }
  >();
  for (const [instance, { libraries }] of newest) {
    if (libraries === undefined) continue;
    const key = JSON.stringify(libraries);
    const group = groups.get(key) ?? { processes: [], libraries };
    group.processes.push(instance);
    groups.set(key, group);
  }
  const { describeLibraries } = await import('#profiler/instrumentation');
  return [...groups.values()].flatMap(({ processes, libraries }) => {
    const who = ` (${processes.map((one) => `process ${nameOfProcess(one)}`).join('; ')})`;
    return describeLibraries(libraries).map(({ text, isProblem }, at): DoctorLine => ({
      topic: 'loaded',
      text: text + who,
      isProblem,
      ...(at === 0 ? { processes, libraries } : {}),
    }));
  });
}

/** Returns the process id and state: `4711, running`. */
function nameOfProcess(instance: string): string {
  const running = isRunning(instance);
  if (running === null) return instance;
  return `${instance.replace(/^.*:/, '')}, ${running ? 'running' : 'ended'}`;
}

/**
 * Lists the libraries installed in this folder in versions that are recorded without a call, and those with unsupported
 * versions, except those that are known to be loaded.
 */
async function describeInstalled(loaded: readonly LoadedLibrary[]): Promise<readonly DoctorLine[]> {
  // Loaded here, because other commands do not need it.
  const { describeSkipped, findLibraries } = await import('#profiler/instrumentation');
  const known = new Set(loaded.map(({ name, version }) => `${name} ${version}`));
  const { recorded, skipped } = findLibraries(process.cwd());
  const others = recorded.filter((one) => !known.has(one));
  return [
    ...(others.length === 0
      ? []
      : [well('libraries', `${others.join(', ')}: installed here, in versions that are recorded`)]),
    ...skipped
      .filter(({ name, version }) => !known.has(`${name} ${version}`))
      .map((one) => problem('libraries', describeSkipped(one))),
  ];
}
