import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { DeniedActs } from '../../src/domain/evidence/observations.ts'
import type { GradingService } from '../../src/grading/grade.ts'
import type { Judge, JudgeInfo, JudgeRequest } from '../../src/judges/judge.ts'
import { scriptedJudge as baseJudge, ONE_TRY, replyOf } from '../grading/harness.ts'

/** Runs the real service over a database in memory, with the published rubrics; only the judges are scripted. */
export async function withService<T>(
  judges: readonly Judge[],
  denied_acts: DeniedActs,
  run: (service: GradingService) => Promise<T>,
): Promise<T> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
  const own = { ...config, evidence: { ...config.evidence, denied_acts }, retry: ONE_TRY }
  const context = await buildContext({ config: own, secrets, judges, adopts_batches: false })
  try {
    return await run(context.service)
  } finally {
    await context.stop()
    await context.close()
  }
}

/** Makes a judge of any answer: the request goes in, the text of its reply comes out. */
export function scriptedJudge(
  name: string,
  answer: (request: JudgeRequest) => string,
  info: Partial<JudgeInfo> = {},
): Judge {
  const identity = { provider: 'attack', base_url: null, model: name, parameters: {} }
  const base = { name, identity, window_tokens: 400_000, max_output_tokens: 4000, price: null }
  return {
    ...baseJudge([], { ...base, ...info }),
    ask: (request) => Promise.resolve(replyOf(answer(request))),
  }
}
