import { readdirSync, readFileSync } from 'node:fs';

/**
 * Nanoseconds of CPU time that a process has used, from /proc/<pid>/task/<tid>/schedstat: by its main thread, which answers the requests,
 * and by all its threads. Undefined if the system does not report it.
 */
export function readCpuTime(pid) {
  try {
    let all = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) all += threadTime(pid, thread);
    return { main: threadTime(pid, pid), all };
  } catch {
    return undefined;
  }
}

function threadTime(pid, thread) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0]);
  } catch (error) {
    if (String(thread) === String(pid)) throw error;
    return 0; // a thread that has ended since it was listed
  }
}

/** Nanoseconds that the backends of a local PostgreSQL have used for a database; 0 for any other address. */
export function readDatabaseTime(address) {
  if (!address.startsWith('postgres')) return 0;
  const database = ` ${new URL(address).pathname.slice(1)} `;
  const backends = readdirSync('/proc').filter((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'latin1') : '';
      return line.startsWith('postgres: ') && line.includes(database);
    } catch {
      return false; // has ended since it was listed
    }
  });
  return backends.reduce((sum, pid) => sum + (readCpuTime(pid)?.all ?? 0), 0);
}
