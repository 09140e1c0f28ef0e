/** Bounds of one record. Bytes or characters by default. */
export interface RecorderLimits {
  readonly requestBody: number;
  readonly responseBody: number;
  /** Log records of one request, and the characters of all of them. */
  readonly logs: number;
  readonly logText: number;
  /** Characters of one message. */
  readonly message: number;
  readonly sections: number;
  /** Characters of one section as JSON. */
  readonly section: number;
  readonly parameters: number;
  readonly children: number;
}

export const recorderLimits: RecorderLimits = {
  requestBody: 65_536,
  responseBody: 16_384,
  logs: 500,
  logText: 262_144,
  message: 10_000,
  sections: 30,
  section: 262_144,
  parameters: 50,
  children: 100,
};
