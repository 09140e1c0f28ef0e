import { checkInput } from './check-input.js';
import { reportTools } from './report-tools.js';
import { requestTools } from './request-tools.js';
import {
  type Answer,
  fitAnswer,
  refuse,
  type FittedAnswer,
  type RecordSource,
  type Tool,
  type ToolContext,
} from './tool.js';

export { checkInput, parametersOf } from './check-input.js';
export { compareFindings, findOther } from './compare-text.js';
export { replayAndCompare } from './replay-verdict.js';

/** All tools that query records, for assistants and the command line. */
export const recordTools: readonly Tool[] = [...requestTools, ...reportTools];

export interface CallOptions extends Partial<
  Pick<ToolContext, 'replayTo' | 'write' | 'explainer' | 'routes'>
> {
  readonly source: RecordSource;
  /** Most bytes of the answer. Default: the parameter `budget`. */
  readonly budget?: number;
}

/** Runs a tool: checks its input, opens the records, and fits the answer into its budget. */
export async function callTool(
  tool: Tool,
  given: unknown,
  { source, budget, ...options }: CallOptions,
): Promise<FittedAnswer> {
  const checked = checkInput(tool, given);
  if (typeof checked === 'string') return { text: checked, data: undefined, isError: true };
  const { input } = checked;
  const app = input['app'];
  let records: Awaited<ReturnType<RecordSource['open']>> | undefined;
  try {
    if (tool.isGlobal !== true) records = await source.open(typeof app === 'string' ? app : undefined);
    const context = { ...options, records: records ?? noRecords, source, now: Date.now };
    return await fitAnswer(withNote(await tool.run(input, context), records?.note), input, { budget });
  } catch (error) {
    const text = error instanceof Error ? error.message : 'The records cannot be read.';
    const fix =
      error instanceof Error && 'fix' in error && typeof error.fix === 'string' ? ` ${error.fix}` : '';
    return fitAnswer(refuse(`${text}${fix}`), input, { budget });
  } finally {
    await records?.close?.();
  }
}

/** Puts a note before an answer, also if the answer is shortened. */
function withNote(answer: Answer, note: string | undefined): Answer {
  if (note === undefined) return answer;
  const { head, shorten } = answer;
  return {
    ...answer,
    head: head === undefined || head === '' ? note : `${note}\n${head}`,
    ...(shorten === undefined ? {} : { shorten: async (rows) => withNote(await shorten(rows), note) }),
  };
}

/** Empty record source, for tools that read no records. */
const noRecords: ToolContext['records'] = {
  collected: [],
  find: () => Promise.resolve({ kind: 'never' }),
  list: () => Promise.resolve({ rows: [], next: null, complete: true }),
  totals: () => Promise.resolve({ groups: [], complete: true }),
  news: () => Promise.resolve(undefined),
  routes: () => Promise.resolve(undefined),
};
