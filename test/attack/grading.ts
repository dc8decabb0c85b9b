import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { DeniedActs } from '../../src/domain/evidence/observations.ts'
import type { GradingService } from '../../src/grading/grade.ts'
import type { Judge, JudgeInfo, JudgeRequest } from '../../src/judges/judge.ts'
import { scriptedJudge as baseJudge, ONE_TRY, replyOf } from '../grading/harness.ts'

/** So many cases share one database. */
const CHUNK = 300

/**
 * Runs the real service over databases in memory, with the published rubrics; only the judges are scripted. `work` grades a case, and `onChunk`
 * hears how many are done.
 */
export async function gradeEach<Case, Result>(
  cases: readonly Case[],
  { judges, denied_acts }: { readonly judges: () => readonly Judge[]; readonly denied_acts: DeniedActs },
  work: (service: GradingService, one: Case) => Promise<Result[]>,
  onChunk: (done: number) => void = () => {},
): Promise<Result[]> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
  const own = { ...config, evidence: { ...config.evidence, denied_acts }, retry: ONE_TRY }
  const results: Result[] = []
  for (let from = 0; from < cases.length; from += CHUNK) {
    const context = await buildContext({ config: own, secrets, judges: judges(), adopts_batches: false })
    try {
      for (const one of cases.slice(from, from + CHUNK)) results.push(...(await work(context.service, one)))
    } finally {
      await context.stop()
      await context.close()
    }
    onChunk(Math.min(cases.length, from + CHUNK))
  }
  return results
}

/** Makes a judge of any answer: the request goes in, the text of its reply comes out. */
export function scriptedJudge(
  name: string,
  answer: (request: JudgeRequest) => string,
  info: Partial<JudgeInfo> = {},
): Judge {
  const identity = { provider: 'attack', base_url: null, model: `judge ${name}`, parameters: {} }
  const base = { name, identity, window_tokens: 400_000, max_output_tokens: 4000, price: null }
  return {
    ...baseJudge([], { ...base, ...info }),
    ask: (request) => Promise.resolve(replyOf(answer(request))),
  }
}
