import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readCpuTime } from './schedstat.mjs';

export const serverCore = 0;
export const loadCore = 1;

/** Why servers cannot be compared simultaneously on one core; undefined if they can. */
export function whyNotSimultaneous() {
  if (availableParallelism() < 2) return 'this machine has only one core';
  if (readCpuTime(process.pid) === undefined) return '/proc/<pid>/task/*/schedstat cannot be read';
  if (spawnSync('taskset', ['-p', String(process.pid)]).status !== 0) return 'the taskset command is missing';
  return undefined;
}

/** The command that runs a program with all its threads on a core, or on any core if none is given. */
export function pinned(program, core) {
  return core === undefined ? [program] : ['taskset', '-c', String(core), program];
}

/** Moves all threads of a process to a core, except its main thread. */
export function moveHelperThreads(pid, core) {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    if (thread !== String(pid)) spawnSync('taskset', ['-p', '-c', String(core), thread]);
  }
}
