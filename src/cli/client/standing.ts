import { createHash } from 'node:crypto'
import type { RubricView } from '../../schemas/rubric-view.ts'
import type { JudgeRows } from '../output/judge-table.ts'
import { batchKey } from './batch-key.ts'

/** Whom a service asks, and by what. */
export interface Standing {
  readonly judges: JudgeRows['items']
  readonly rubrics: readonly Pick<RubricView, 'name' | 'digest'>[]
}

/**
 * The key of a command with whom it asks now: another model, endpoint, default judge or version of a rubric asks other questions, whose answers are
 * not those of the same command before.
 */
export const askedKey = async (client: { readStanding(): Promise<Standing> }, command: string): Promise<string> =>
  batchKey(command, digestOf(await client.readStanding()))

function digestOf({ judges, rubrics }: Standing): string {
  const asked = judges.map((one) => [one.name, one.default, one.provider, one.base_url, one.model, one.parameters])
  const by = rubrics.map(({ name, digest }) => [name, digest])
  return createHash('sha256')
    .update(JSON.stringify([asked, by]))
    .digest('hex')
    .slice(0, DIGITS)
}

/** Enough to tell the settings of one command apart. */
const DIGITS = 16
