import type { Config } from '../config/config.ts'
import { EVIDENCE_VERSION } from '../domain/cache-key.ts'
import { digestValue } from '../domain/digest.ts'
import { PROMPT_VERSION } from '../domain/rubric/prompt.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { RENDERING_VERSION } from '../domain/trajectory/rendering.ts'
import { READER_VERSION } from '../domain/trajectory/trajectory.ts'
import type { Judge } from '../judges/judge.ts'

export const DEFAULT_RUBRIC = 'tab-behavior@2'

export function answerConfig(
  config: Config,
  judges: ReadonlyMap<string, Judge>,
  rubrics: ReadonlyMap<string, Rubric>,
): string {
  return digestValue({
    default_judge: config.default_judge,
    default_rubric: DEFAULT_RUBRIC,
    judges: [...judges].map(([name, judge]) => [name, judge.info.identity]),
    rubrics: [...rubrics].map(([name, rubric]) => [name, rubric.digest]),
    denied_acts: config.evidence.denied_acts,
    versions: [PROMPT_VERSION, RENDERING_VERSION, EVIDENCE_VERSION, READER_VERSION],
  })
}
