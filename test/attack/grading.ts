import { fileURLToPath } from 'node:url'
import { Lane } from '../../src/grading/lane.ts'
import { createRetryBudget } from '../../src/grading/retry.ts'
import { loadRubrics } from '../../src/config/rubrics.ts'
import type { DeniedActs } from '../../src/domain/evidence/evidence-question.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { createGradingService } from '../../src/grading/grade.ts'
import type { GradingService } from '../../src/grading/service.ts'
import { readStoredRun } from '../../src/offload/large-body.ts'
import type { JudgeInfo, JudgeRequest } from '../../src/ports/judge.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Judge } from '../../src/ports/judge.ts'
import { openSqliteStores } from '../../src/db/stores.ts'

const RUBRICS = fileURLToPath(new URL('../../rubrics', import.meta.url))

/** The real service over a database in memory, with the published rubric; only the judges are scripted. */
export async function withService<T>(
  judges: readonly Judge[],
  deniedActs: DeniedActs,
  run: (service: GradingService) => Promise<T>,
): Promise<T> {
  const stores = openSqliteStores({ path: ':memory:' })
  const rubrics = loadRubrics(RUBRICS).map(({ rubric }) => rubric)
  const lane = new Lane({ initial: 4, min: 1, max: 4 })
  let id = 0
  const service = createGradingService({
    stores,
    judges: new Map(judges.map((judge) => [judge.info.name, judge])),
    unready: new Map(),
    rubrics: new Map(rubrics.map((rubric) => [rubric.name, rubric])),
    default_judge: 'lexical',
    default_rubric: 'tab-behavior@2',
    read: (document) => readTrajectory(document, { max_steps: 20_000, max_part_chars: 8_000_000 }),
    readStored: (packed) => readStoredRun(packed, { max_steps: 20_000, max_part_chars: 8_000_000 }),
    secret: new TextEncoder().encode('known to the service alone'),
    clock: CLOCK,
    retry: {
      max_attempts: 1,
      deadline_ms: 3_600_000,
      call_timeout_ms: 600_000,
      base_delay_ms: 1,
      max_delay_ms: 1,
      max_retry_after_ms: 1,
    },
    recent: { get: () => undefined, set: () => undefined },
    laneOf: () => lane,
    day_cap_usd: null,
    denied_acts: deniedActs,
    budgetOf: () => createRetryBudget(),
    random: () => 0.5,
    newId: (prefix) => `${prefix}_${String(++id).padStart(12, '0')}`,
  })
  try {
    return await run(service)
  } finally {
    await stores.close()
  }
}

const CLOCK: Clock = { now: () => new Date(), sleep: () => Promise.resolve() }

/** A judge of any answer: what it is asked goes in, the text of its reply comes out. */
export function scriptedJudge(
  name: string,
  answer: (request: JudgeRequest) => string,
  info: Partial<JudgeInfo> = {},
): Judge {
  return {
    info: {
      name,
      kind: 'model',
      description: 'scripted',
      identity: { provider: 'attack', base_url: null, model: name, parameters: {} },
      window_tokens: 400_000,
      max_output_tokens: 4000,
      images: false,
      token_factor: 1,
      structured_output: true,
      price: null,
      base_url: null,
      ...info,
    },
    ask(request) {
      const text = answer(request)
      return Promise.resolve({ ok: true, text, raw: text, usage: null, model_resolved: name, request_id: null })
    },
  }
}
