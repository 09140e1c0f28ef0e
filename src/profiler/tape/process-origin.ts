import { hostname } from 'node:os';

/** Process that made a record (`host:pid`), and version of its application. */
export interface ProcessOrigin {
  readonly instance: string;
  readonly version: string;
}

/** Identifies this process. The version is `APP_VERSION`, or that of the package if npm started the process. */
export function processOrigin(): ProcessOrigin {
  const { APP_VERSION, npm_package_version: packageVersion } = process.env;
  return { instance: `${hostname()}:${process.pid}`, version: APP_VERSION ?? packageVersion ?? '' };
}
